/**
 * Checks the arguments of a call by the tool's schema before anything is sent, and what comes back by its output schema.
 * What cannot be checked is let through with a warning, said once for each tool.
 */
import { HostError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { surelyFits } from "../base/schema-plain.ts";
import { checkSchema } from "../base/schema.ts";
import type { CheckOptions, Problem, SchemaVerdict } from "../base/schema.ts";
import type { OutputProblem } from "../hooks/call.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import { propertiesOf, straysOf } from "./shape.ts";
import { signatureOf } from "./signature.ts";
import type { HostTool } from "./types.ts";

export class Validator {
  readonly #log: Log;
  readonly #options: CheckOptions;
  readonly #said = new WeakSet<JsonObject>();

  constructor(log: Log, schemaBytesMax?: number) {
    this.#log = log;
    this.#options = { cache: new WeakMap(), ...(schemaBytesMax && { schemaBytesMax }) };
  }

  /** True where the arguments surely fit; false where that takes a closer look (`checkArguments`). */
  fits(tool: HostTool, args: JsonObject): boolean {
    return surelyFits(tool.inputSchema, args);
  }

  /** @throws HostError `usage`: each argument that does not fit, what was expected, the signature */
  async checkArguments(tool: HostTool, args: JsonObject): Promise<void> {
    const problems = await this.#check(tool, tool.inputSchema, args, "the arguments");
    if (problems.length === 0) return;
    const known = propertiesOf(tool.inputSchema).map((property) => property.key);
    const free = known.filter((key) => !Object.hasOwn(args, key));
    const texts = problems.map((problem) => argumentText(problem, known, free));
    // What is missing may be there by another name.
    const isMissing = problems.some(({ keyword }) => keyword === "required");
    if (isMissing) texts.push(...straysIn(tool, args).map((key) => unknownText(key, free)));
    const isUnfit = problems.some(({ path, keyword }) => path === "" && keyword === "type");
    throw new HostError("usage", `${tool.name}: ${texts.join("; ")}`, {
      facts: {
        server: tool.server,
        tool: tool.tool,
        problems: problems.map(({ path, message }) => ({ path, message })),
        ...(isUnfit && { option: "validate" }),
      },
      hint: isUnfit
        ? "no arguments fit its schema, which takes no object; without validation they are sent as they are"
        : signatureOf(tool.name, tool.inputSchema),
    });
  }

  /** Warns of arguments that the schema neither names nor forbids: typing errors, most likely. */
  warnOfStrays(tool: HostTool, args: JsonObject): void {
    const strays = straysIn(tool, args);
    if (strays.length === 0) return;
    const known = propertiesOf(tool.inputSchema).map((property) => property.key);
    for (const key of strays) {
      const meant = didYouMean(nearest(key, known, 1).map((name) => JSON.stringify(name)));
      const text = `the tool names no argument ${JSON.stringify(key)}`;
      this.#warn(tool, meant === undefined ? text : `${text}; ${meant}`);
    }
  }

  /**
   * Where a result breaks its tool's promise; undefined where it does not. A tool with an output schema has to give
   * structured content (protocol.md 1.13). Errors promise nothing, and a task is no result yet.
   */
  async checkResult(tool: HostTool, result: ToolResult): Promise<OutputProblem[] | undefined> {
    const { structuredContent, isError, task } = result;
    const isComplete = (result.resultType ?? "complete") === "complete";
    const isResult = isError !== true && task === undefined && isComplete;
    if (tool.outputSchema === undefined || !isResult) return undefined;
    // null, false and 0 are content as good as any.
    if (structuredContent === undefined)
      return [{ path: "", message: "structuredContent is missing" }];
    const problems = await this.#check(tool, tool.outputSchema, structuredContent, "the results");
    return problems.length === 0
      ? undefined
      : problems.map(({ path, message }) => ({ path, message }));
  }

  // --- internal ---

  async #check(tool: HostTool, schema: JsonObject, value: Json, what: string): Promise<Problem[]> {
    const verdict = await checkSchema(schema, value, this.#options);
    if (verdict.ok === false) return verdict.problems;
    const text = uncheckedText(verdict);
    if (text !== undefined && !this.#said.has(schema)) {
      this.#said.add(schema);
      this.#warn(tool, `${what} of ${tool.name} are not ${text}`);
    }
    return [];
  }

  #warn({ server }: HostTool, text: string): void {
    this.#log({ level: "warn", server, text });
  }
}

/** What was not checked, and why. */
function uncheckedText(verdict: SchemaVerdict): string | undefined {
  if (verdict.ok === true)
    return verdict.but === undefined ? undefined : `checked in all: ${verdict.but}`;
  if (verdict.ok === false) return undefined;
  const { reason, isOfValue } = verdict;
  return `checked: ${isOfValue ? reason : `the schema is no use: ${reason}`}`;
}

const straysMax = 5;

/** The first arguments that the schema neither names nor forbids. */
function straysIn({ inputSchema }: HostTool, args: JsonObject): string[] {
  return straysOf(inputSchema, args).slice(0, straysMax);
}

/** `free`: what is not given yet; what is given was not meant by another name. */
function unknownText(key: string, free: readonly string[]): string {
  const meant = didYouMean(nearest(key, free, 1));
  return `unknown argument ${key}${meant === undefined ? "" : ` (${meant})`}`;
}

function argumentText(
  { path, message, keyword }: Problem,
  known: readonly string[],
  free: readonly string[],
): string {
  const keys = path
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (path === "") return `the arguments: ${message}`;
  const [key = "", ...below] = keys;
  // A property may be named and forbidden.
  if (keyword === "false" && below.length === 0 && !known.includes(key))
    return unknownText(key, free);
  const verb = keyword === "required" ? " " : ": ";
  return `argument ${keys.join("/")}${verb}${message}`;
}
