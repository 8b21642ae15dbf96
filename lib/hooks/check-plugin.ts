/** Whether what was given as plugins are plugins: every fault is told before one of them runs. Pure. */
import { HostError, isHostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { shownValue, thrownText } from "./frozen.ts";
import type { HookName, Plugin } from "./plugin.ts";

/** A plugin, and where it came from, for messages: a file, a package, `plugins[0]`. */
export interface NamedPlugin {
  plugin: Plugin;
  from: string;
}

/** @throws HostError `config`: no plugin, no name, two of one name, a hook that nobody knows, two tools of one name */
export function checkPlugins(plugins: readonly { plugin: unknown; from: string }[]): NamedPlugin[] {
  const names = new Map<string, string>();
  const tools = new Map<string, string>();
  return plugins.map(({ plugin, from }) => {
    const read = readPlugin(plugin, from);
    const { name } = read;
    const other = names.get(name);
    if (other !== undefined)
      throw wrong(from, `its name ${JSON.stringify(name)} is that of another plugin (${other})`);
    names.set(name, from);
    for (const tool of Object.keys(read.tools ?? {})) {
      const whose = tools.get(tool);
      if (whose !== undefined)
        throw wrong(from, `plugin ${JSON.stringify(whose)} has a tool ${tool}, too`);
      tools.set(tool, name);
    }
    return { plugin: read, from };
  });
}

// --- internal ---

const pluginKeys = ["name", "tools", "hooks", "setup"];
const hookNames: readonly HookName[] = [
  "listTools",
  "beforeCall",
  "approve",
  "afterCall",
  "elicit",
  "sample",
  "roots",
  "serverStart",
  "serverStop",
  "serverLog",
  "message",
  "log",
  "audit",
];
const toolName = /^[A-Za-z0-9_-]{1,64}$/;

const shapes = {
  hooks: "it is written hooks: { beforeCall(call) { … } }",
  tools: "it is written tools: { NAME: { description, input, run } }",
};

/** What it has may be computed, and throw. */
function readPlugin(value: unknown, from: string): Plugin {
  try {
    checkPlugin(value, from);
    return value;
  } catch (error) {
    if (isHostError(error)) throw error;
    throw wrong(from, `what it has cannot be read: ${thrownText(error)}`);
  }
}

/** A misspelt hook would never run: what it was to forbid would be let through. */
function checkPlugin(value: unknown, from: string): asserts value is Plugin {
  if (!isRecord(value))
    throw wrong(from, `a plugin is an object with a name, and this is ${shownValue(value)}`);
  const { name, setup } = value;
  if (typeof name !== "string" || !/\S/.test(name)) throw wrong(from, "the plugin has no name");
  checkKeys(Object.keys(value), pluginKeys, from, "a plugin");
  if (setup !== undefined && typeof setup !== "function")
    throw wrong(from, `setup is no function, but ${shownValue(setup)}`);
  const hooks = recordAt(value, "hooks", from);
  const names = namesIn(hooks);
  checkKeys(names, hookNames, from, "hooks");
  for (const hook of names) {
    const run = hooks[hook];
    if (run !== undefined && typeof run !== "function")
      throw wrong(from, `the hook ${hook} is no function, but ${shownValue(run)}`);
  }
  for (const [tool, spec] of Object.entries(recordAt(value, "tools", from)))
    checkTool(tool, spec, from);
}

function checkTool(name: string, value: unknown, from: string): void {
  if (!toolName.test(name))
    throw wrong(
      from,
      `a tool's name is 1 to 64 of A-Z a-z 0-9 _ -, and not ${JSON.stringify(name)}`,
    );
  if (!isRecord(value)) throw wrong(from, `the tool ${name} is no object`);
  if (typeof value.description !== "string")
    throw wrong(from, `the tool ${name} has no description`);
  if (typeof value.run !== "function") throw wrong(from, `the tool ${name} has no function run`);
  if (!isRecord(value.input) && typeof value.input !== "function")
    throw wrong(from, `the tool ${name} has no input: a valibot schema, or a JSON Schema`);
}

/** All that it has, methods of its class too. */
function namesIn(value: object): string[] {
  const names = Object.getOwnPropertyNames(value);
  for (
    let one = Object.getPrototypeOf(value) as object | null;
    one !== null && one !== Object.prototype;
    one = Object.getPrototypeOf(one) as object | null
  )
    names.push(...Object.getOwnPropertyNames(one).filter((name) => name !== "constructor"));
  return names;
}

function checkKeys(
  keys: readonly string[],
  known: readonly string[],
  from: string,
  what: string,
): void {
  for (const key of keys)
    if (!known.includes(key))
      throw wrong(
        from,
        `${what} has no ${JSON.stringify(key)}`,
        didYouMean(nearest(key, known)) ?? `there is ${known.join(", ")}`,
      );
}

function recordAt(
  value: Record<string, unknown>,
  key: keyof typeof shapes,
  from: string,
): Record<string, unknown> {
  const found = value[key] ?? {};
  if (!isRecord(found))
    throw wrong(from, `${key} is no object, but ${shownValue(found)}`, shapes[key]);
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(from: string, text: string, hint?: string): HostError {
  return new HostError("config", `plugin ${from}: ${text}`, {
    facts: { plugin: from },
    ...(hint !== undefined && { hint }),
  });
}
