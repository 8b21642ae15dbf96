/**
 * `completion SHELL` prints the completion script of a shell. The script asks back with `completion SHELL -- WORDS…`,
 * which must be fast and never complains. Only for values of prompts and templates is a server started: one that may be
 * started without a question, for a moment.
 */
import { HostError } from "../../base/errors.ts";
import { silent } from "../../base/log.ts";
import type { ServerConfig } from "../../config/types.ts";
import type { CompleteRequest } from "../../host/feature-types.ts";
import { rendered, scripts, type Shell, shells } from "../completion-scripts.ts";
import { filledIn, keptOf, splitLine, wordsOf } from "../completion-words.ts";
import { complete, type World } from "../completion.ts";
import { commonFlags, policyFlags, serverFlags } from "../flags.ts";
import { recalledTools } from "../tool-cache.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "completion",
  description: "Print the completion script of a shell",
  example: 'eval "$(mcphost completion bash)"',
  usage: "bash|zsh|fish",
  flags: {
    SHELL: {
      type: "positional",
      description:
        "the shell; tools, resources and prompts are completed as they were last listed (mcphost tools, resources, prompts)",
    },
    ...commonFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run({ positionals, rest }: Parsed, io: Io): Promise<number> {
  const shell = shells.find((one) => one === positionals[0]);
  if (shell === undefined || positionals.length > 1)
    throw new HostError("usage", `completion needs the name of one shell: ${shells.join(", ")}`, {
      hint: command.example,
    });
  const text = rest === undefined ? scripts[shell] : await answer(shell, rest, io);
  await io.stdout.write(text);
  return 0;
}

/**
 * For bash the line up to the cursor, since bash cuts words at `=` and `:`, and the part of it that is replaced. From fish
 * the last word comes as it is typed.
 */
async function answer(shell: Shell, rest: readonly string[], io: Io): Promise<string> {
  const [line = "", part] = rest;
  const last = rest.at(-1) ?? "";
  const words =
    shell === "bash"
      ? wordsOf(line, io.env).slice(1)
      : [
          ...rest.slice(0, -1).map((word) => filledIn(word, io.env)),
          shell === "fish" ? (splitLine(last).at(-1) ?? "") : last,
        ];
  try {
    const completion = await complete(words, worldOf(io));
    return rendered(shell, completion, shell === "bash" ? keptOf(line, part) : undefined);
  } catch {
    // Nobody can read a complaint in the middle of a line that is being written.
    return rendered(shell, []);
  }
}

function worldOf(io: Io): World {
  const commands = io.commands ?? {};
  return {
    common: { ...commonFlags, ...serverFlags, ...policyFlags },
    async commands() {
      const all = await Promise.all(Object.values(commands).map((load) => load()));
      return all.map((module) => module.default);
    },
    command: async (name) =>
      Object.hasOwn(commands, name) ? (await commands[name]?.())?.default : undefined,
    async servers(parsed) {
      const { configFromFlags } = await import("../config-flags.ts");
      const { servers, bad } = await configFromFlags(parsed, io);
      return [...servers, ...bad].map(({ name }) => name);
    },
    async tools(parsed) {
      const lists = await recalled(parsed, async (server) => {
        const tools = (await recalledTools(io.env, server)) ?? [];
        return tools.map((tool) => ({ ...tool, server: server.name }));
      });
      return lists.flat();
    },
    async prompts(parsed) {
      const { recalledPrompts } = await import("../feature-cache.ts");
      return (await recalled(parsed, (server) => recalledPrompts(io.env, server))).flat();
    },
    async resources(parsed) {
      const { recalledResources } = await import("../feature-cache.ts");
      return (await recalled(parsed, (server) => recalledResources(io.env, server))).flat();
    },
    async ids(name, parsed) {
      const { idsFor } = await import("../completion-ids.ts");
      return await idsFor(name, parsed, io);
    },
    suggest: (parsed) => (request) => suggestions(request, parsed, io),
  };

  async function recalled<T>(parsed: Parsed, of: (server: ServerConfig) => Promise<T>) {
    const { configFromFlags } = await import("../config-flags.ts");
    const { servers } = await configFromFlags(parsed, io);
    return await Promise.all(servers.map(of));
  }
}

/** How long somebody who pressed a key waits. */
const suggestMs = 2000;

/** What a server suggests. It is started only where nobody need be asked, and gets little time. */
async function suggestions(
  request: CompleteRequest,
  { flags, positionals, rest }: Parsed,
  io: Io,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(suggestMs)]);
  const terminal = { ...io.terminal, stdin: false, stdout: false, stderr: false };
  const { status: _, ...quiet } = { ...io, signal, terminal };
  // A word on a line that was not run yet trusts nobody.
  const parsed = { flags: { ...flags, trust: false, stderr: false }, positionals, rest };
  try {
    const { openFromFlags } = await import("../open.ts");
    await using opened = await openFromFlags(parsed, quiet, silent);
    return (await opened.host.complete({ ...request, signal })).values;
  } catch {
    return [];
  }
}
