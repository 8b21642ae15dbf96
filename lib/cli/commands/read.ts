/** `read URI`: the contents of one resource on stdout, byte for byte (cli.md, Commands). */
import { HostError, isHostError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { HostAnswer } from "../../host/feature-types.ts";
import type { ToolResult } from "../../protocol/mcp.ts";
import { cause } from "../cause.ts";
import { commonFlags, serverFlags, textOf } from "../flags.ts";
import { openFromFlags } from "../open.ts";
import { printResult } from "../print.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "read",
  description: "Print the contents of one resource",
  example:
    "mcphost read demo://resource/dynamic/text/1 -- npx -y @modelcontextprotocol/server-everything",
  usage: "URI [-- COMMAND…]",
  flags: {
    URI: {
      type: "positional",
      description:
        "as mcphost resources shows it; SERVER/URI says which of several servers is asked",
    },
    output: {
      type: "string",
      alias: ["o"],
      valueHint: "FILE",
      description: "keep it in a file, byte for byte (- is stdout)",
    },
    save: {
      type: "string",
      valueHint: "DIR",
      description: "keep all pictures, sounds and other binaries in a folder",
    },
    ...commonFlags,
    ...serverFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  const [uri, ...more] = positionals;
  if (uri === undefined || more.length > 0)
    throw new HostError("usage", `read takes one URI, and got ${positionals.length}`, {
      hint: "mcphost resources lists them; a server's command stands behind --",
    });
  if (flags["json"] === true && textOf(flags["output"]) === "-")
    throw new HostError("usage", "--json and -o - both want stdout", {
      hint: "leave one of them out, or give -o a file",
    });
  await using opened = await openFromFlags(parsed, io, log);
  let answer: HostAnswer;
  try {
    answer = await opened.host.read({ uri, signal: io.signal });
  } catch (error) {
    throw withTemplateHint(await cause(error, opened, uri), uri);
  }
  const { server, warnings } = answer;
  for (const text of warnings) log({ level: "warn", server, text });
  await print(answer, uri, parsed, io);
  return 0;
}

async function print(answer: HostAnswer, uri: string, { flags }: Parsed, io: Io): Promise<void> {
  const json = flags["json"] === true;
  const result = asContent(answer);
  // What goes to a pipe goes there as it is; a person sees text that ends, and binaries by their names.
  const save = textOf(flags["save"]);
  const exact = !json && !io.terminal.stdout && isOne(result, save !== undefined);
  const options = {
    tool: uri.slice(uri.search(/[^/]*\/*$/)),
    json,
    quiet: flags["quiet"] === true,
    output: textOf(flags["output"]) ?? (exact ? "-" : undefined),
    save,
  };
  try {
    await printResult({ result, raw: answer.raw }, options, io);
  } catch (error) {
    // Hints of calls do not hold here: what was read can be read again.
    if (!isHostError(error)) throw error;
    throw new HostError(error.code, error.message, { facts: error.facts, cause: error });
  }
}

/** A template was copied as it is listed. */
function withTemplateHint(error: unknown, uri: string): unknown {
  const variables = uri.match(/\{[^{}]+\}/g);
  if (variables === null || !isHostError(error)) return error;
  const { code, message, facts } = error;
  const hint = `this is a template: write what you want in place of ${variables.join(", ")}`;
  return new HostError(code, message, { facts, hint, cause: error });
}

/** The contents as blocks of a tool's result, which is what printing knows. What is no list stays one block. */
function asContent({ result }: HostAnswer): ToolResult {
  const { contents } = result;
  if (contents === undefined) return result;
  const list = Array.isArray(contents) ? contents : [contents];
  return {
    content: list.map((resource) =>
      isObject(resource) && (typeof resource.text === "string" || typeof resource.blob === "string")
        ? { type: "resource", resource }
        : resource,
    ),
  };
}

/** Texts alone, or one binary alone that is not kept elsewhere: stdout can hold it whole. */
function isOne({ content }: ToolResult, isSaved: boolean): boolean {
  const blocks = Array.isArray(content) ? content : [];
  const binaries = blocks.filter((block) => {
    const resource = isObject(block) ? block.resource : undefined;
    return isObject(resource) && typeof resource.text !== "string";
  });
  return binaries.length === 0 || (blocks.length === 1 && !isSaved);
}
