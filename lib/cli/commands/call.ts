/**
 * `call TOOL [ARG…]`: one tool call, its result on stdout (cli.md, call). Here are its flags; the work is loaded while
 * the server starts.
 */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { fetchArguments, readArguments } from "../arguments.ts";
import type { Pending } from "../arguments.ts";
import { startEarly } from "../early.ts";
import { commonFlags, policyFlags, resultFlags, serverFlags, textOf } from "../flags.ts";
import type { Command, EarlyStart, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "call",
  description: "Call one tool and print its result",
  example: "mcphost call echo message=hi -- npx -y @modelcontextprotocol/server-everything",
  usage: "TOOL [ARG…] [-- COMMAND…]",
  flags: {
    TOOL: {
      type: "positional",
      description:
        "its name as mcphost tools shows it, SERVER.TOOL, or the bare name where one server has it",
    },
    "ARG…": {
      type: "positional",
      description:
        "key=value (by the schema; where that names no type, text, or JSON of an object or array), key:=JSON, key=@FILE (- is stdin), key:=@FILE, one JSON object, or - for one on stdin",
    },
    args: { type: "string", valueHint: "JSON", description: "the arguments as one JSON object" },
    "no-validate": {
      type: "boolean",
      description: "send the arguments as they are, without asking for the tool's schema",
    },
    strict: {
      type: "boolean",
      description: "a result that does not fit the tool's outputSchema is an error",
    },
    ...resultFlags,
    detach: {
      type: "boolean",
      description: "print the id of the task that it becomes, and leave; mcphost task ID goes on",
    },
    events: { type: "boolean", description: "progress and log entries as JSON lines on stderr" },
    ...commonFlags,
    ...serverFlags,
    ...policyFlags,
    "wait-approval": {
      type: "boolean",
      description: "a call that is asked about waits for mcphost approvals, where nobody is here",
    },
  },
  early,
  run,
};

export default command;

// --- internal ---

const ofResults = ["output", "save", "strict"];

/** A usage error starts no server: so only where nothing of the line can be wrong any more. */
async function early(parsed: Parsed, env: Io["env"]): Promise<EarlyStart | undefined> {
  const { pending } = readWords(parsed);
  if (pending.some(({ kind }) => kind === "file" || kind === "stdin")) return undefined;
  return await startEarly(parsed, env);
}

async function run(parsed: Parsed, io: Io, log: Log, started?: EarlyStart): Promise<number> {
  const { tool, pending } = readWords(parsed);
  const parts = await fetchArguments(pending, io);
  const { callTool } = await import("../call.ts");
  return await callTool({ tool, parts, parsed, early: started }, io, log);
}

/** @throws HostError `usage` */
function readWords({ positionals, flags }: Parsed): { tool: string; pending: Pending[] } {
  const [tool, ...words] = positionals;
  if (tool === undefined)
    throw new HostError("usage", "call needs the name of a tool", {
      hint: "mcphost tools lists them; mcphost call --help shows an example",
    });
  if (flags["strict"] === true && flags["no-validate"] === true)
    throw new HostError(
      "usage",
      "--strict needs the tool's schema, and --no-validate asks for none",
      {
        hint: "leave one of them out",
      },
    );
  if (flags["json"] === true && textOf(flags["output"]) === "-")
    throw new HostError("usage", "--json and -o - both want stdout", {
      hint: "leave one of them out, or give -o a file",
    });
  const kept = flags["detach"] === true && ofResults.find((name) => flags[name] !== undefined);
  if (kept)
    throw new HostError("usage", `--detach has no result, and --${kept} wants one`, {
      hint: `give --${kept} to mcphost task, which prints the result`,
    });
  return { tool, pending: readArguments(words, textOf(flags["args"])) };
}
