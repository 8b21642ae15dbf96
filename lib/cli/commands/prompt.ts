/** `prompt NAME [ARG…]`: the messages of one prompt on stdout (cli.md, Commands). */
import { HostError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import { compact } from "../../base/slice.ts";
import type { ArgumentPart } from "../../host/arguments.ts";
import type { HostAnswer } from "../../host/feature-types.ts";
import { fetchArguments, readArguments } from "../arguments.ts";
import { cause } from "../cause.ts";
import { shown } from "../fit.ts";
import { commonFlags, serverFlags } from "../flags.ts";
import { openFromFlags } from "../open.ts";
import { nameOf } from "../print.ts";
import { renderResult } from "../render.ts";
import type { Command, Io, Parsed } from "../types.ts";
import { oneLine, visible } from "../visible.ts";

const command: Command = {
  name: "prompt",
  description: "Fill in one prompt and print its messages",
  example:
    "mcphost prompt args-prompt city=Paris -- npx -y @modelcontextprotocol/server-everything",
  usage: "PROMPT [ARG…] [-- COMMAND…]",
  flags: {
    PROMPT: {
      type: "positional",
      description:
        "its name as mcphost prompts shows it, SERVER.PROMPT, or the bare name where one server has it",
    },
    "ARG…": {
      type: "positional",
      description:
        "key=value, key=@FILE (- is stdin), one JSON object, or - for one on stdin; values are text",
    },
    ...commonFlags,
    ...serverFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const [prompt, ...words] = parsed.positionals;
  if (prompt === undefined)
    throw new HostError("usage", "prompt needs the name of a prompt", {
      hint: "mcphost prompts lists them; mcphost prompt --help shows an example",
    });
  const args = textsOf(await fetchArguments(readArguments(words), io));
  await using opened = await openFromFlags(parsed, io, log);
  let answer: HostAnswer;
  try {
    answer = await opened.host.prompt({ prompt, arguments: args, signal: io.signal });
  } catch (error) {
    throw await cause(error, opened, prompt);
  }
  const { server, warnings } = answer;
  for (const text of warnings) log({ level: "warn", server, text });
  if (parsed.flags["json"] === true) {
    await io.stdout.write(shown(`${compact(answer.raw)}\n`, io));
    return 0;
  }
  const { text, notes } = messagesText(answer);
  if (parsed.flags["quiet"] !== true)
    for (const note of notes)
      await io.stderr.write(`${io.terminal.stderr ? visible(note) : note}\n`);
  await io.stdout.write(shown(text, io));
  return 0;
}

/** Arguments of prompts are text; the later wins over the earlier. @throws HostError `usage` */
function textsOf(parts: readonly ArgumentPart[]): Record<string, string> {
  const entries = parts.flatMap((part): [string, Json | undefined][] => {
    if (part.kind === "object") return Object.entries(part.value);
    return [[part.key, part.kind === "text" ? part.text : part.value]];
  });
  for (const [key, value] of entries)
    if (typeof value !== "string")
      throw new HostError("usage", `argument ${key}: expected text, got ${JSON.stringify(value)}`, {
        facts: { argument: key },
        hint: `all arguments of prompts are text: write ${key}=VALUE`,
      });
  return Object.fromEntries(entries) as Record<string, string>;
}

/**
 * The texts of the messages, one after the other. Where there is more than one message, each stands under its role. What
 * is no text is named beside.
 */
function messagesText({ result, raw }: HostAnswer): { text: string; notes: string[] } {
  const { messages } = result;
  if (!Array.isArray(messages))
    return {
      text: `${compact(raw)}\n`,
      notes: ["the result has no messages: it is printed as JSON, as it came"],
    };
  const rendered = messages.map(renderMessage);
  const notes = [...new Set(rendered.flatMap((one) => one.notes))];
  const [only, ...more] = rendered;
  if (only !== undefined && more.length === 0) return { text: only.text, notes };
  return { text: rendered.map(({ role, text }) => `${role}:\n${text}`).join("\n"), notes };
}

function renderMessage(message: Json) {
  const { role, content }: JsonObject = isObject(message) ? message : { content: message };
  // A text alone is one block of text: messages to the APIs of models are written so.
  const said: Json =
    typeof content === "string" ? { type: "text", text: content } : (content ?? []);
  const { text, binaries, notes } = renderResult({ result: { content: said }, raw: "" });
  // In its place, so that the messages can be read as they stand.
  const hidden = binaries.map((binary) => `[${nameOf(binary)}]\n`).join("");
  const all =
    binaries.length > 0 ? [...notes, "what is no text is only named; --json has it"] : notes;
  return {
    role: typeof role === "string" ? oneLine(role, 100) : "?",
    text: text + hidden,
    notes: all,
  };
}
