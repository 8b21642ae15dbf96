/** `prompts [PATTERN]`: lists prompts as signatures, or explains the one that is meant (cli.md, Commands). */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { redact } from "../../config/redact.ts";
import type { HostPrompt } from "../../host/feature-types.ts";
import { promptSignature } from "../../host/prompt-signature.ts";
import { keyText, nameText } from "../../host/signature.ts";
import { fold, shown, widthOf } from "../fit.ts";
import { commonFlags, serverFlags } from "../flags.ts";
import { lineOf, matching, tellNone, tellOf } from "../listing.ts";
import { openFromFlags } from "../open.ts";
import { reachingWords } from "../reaching.ts";
import { shellQuote } from "../tool-help.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "prompts",
  description: "List prompts as signatures; with one match, explain it",
  example: "mcphost prompts -- npx -y @modelcontextprotocol/server-everything",
  usage: "[PATTERN] [-- COMMAND…]",
  flags: {
    PATTERN: { type: "positional", description: "a glob, or a word of a name or description" },
    ...commonFlags,
    ...serverFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const [pattern, ...more] = parsed.positionals;
  if (more.length > 0)
    throw new HostError("usage", `prompts takes one pattern, and got ${more.length + 1}`, {
      hint: "quote a glob, so that the shell does not expand it; a server's command stands behind --",
    });
  await using opened = await openFromFlags(parsed, io, log);
  const listing = await opened.host.prompts({ signal: io.signal });
  const { code, failed } = await tellOf(listing, opened, { parsed, io, log });
  const { prompts } = listing;
  if (prompts.length === 0 && failed !== undefined) return failed;
  const found = pattern === undefined ? prompts : matching(pattern, prompts, { names, texts });
  if (found.length === 0 && pattern !== undefined) throw await noMatch(pattern, prompts);
  const [only, ...others] = found;
  const explained = pattern !== undefined && others.length === 0 ? only : undefined;
  const width = widthOf(io);
  const text =
    parsed.flags["json"] === true
      ? `${JSON.stringify(found.map(jsonOf))}\n`
      : explained
        ? helpOf(explained, { again: reachingWords(parsed), secrets: io.secrets ?? [], width })
        : found
            .map((prompt) => `${lineOf(promptSignature(prompt), said(prompt), width)}\n`)
            .join("");
  await io.stdout.write(shown(text, io));
  if (found.length === 0) await tellNone("prompts", parsed, io);
  if (parsed.flags["no-cache"] !== true) {
    const { rememberPrompts } = await import("../feature-cache.ts");
    for (const server of opened.config.servers) {
      const own = prompts.filter((item) => item.server === server.name);
      if (own.length > 0) await rememberPrompts(io.env, server, own);
    }
  }
  return code;
}

function names({ name, server, prompt }: HostPrompt): string[] {
  return [name, prompt, `${server}.${prompt}`, `${server}/${prompt}`];
}

function texts({ title, description }: HostPrompt) {
  return [title, description];
}

function said({ title, description }: HostPrompt): string | undefined {
  return description ?? title;
}

/** As the server lists it, nothing left out, under the name that is shown here. */
function jsonOf({ name, server, prompt, raw }: HostPrompt) {
  return { ...raw, name, server, prompt };
}

interface HelpContext {
  /** The words that name the server again. */
  again: readonly string[];
  /** What the example must not show. */
  secrets: Iterable<string>;
  width: number;
}

function helpOf(prompt: HostPrompt, { again, secrets, width }: HelpContext): string {
  const { title, description } = prompt;
  const rows = prompt.arguments.map((argument) => {
    const words = [argument.title, argument.description].filter((word) => word !== undefined);
    const text = words
      .join(": ")
      .trim()
      .replaceAll(/\s*\n\s*/g, " ");
    const head = `  ${keyText(argument.name)}${argument.required ? "  (required)" : ""}`;
    return text === "" ? head : `${head}\n      ${text}`;
  });
  const parts = [
    promptSignature(prompt) + (title === undefined ? "" : `\n\n${title}`),
    description?.trim() ?? "",
    rows.length === 0 ? "" : `Arguments:\n${rows.join("\n")}`,
    prompt.name === prompt.prompt
      ? `Server: ${prompt.server}`
      : `Server: ${prompt.server} (its own name: ${nameText(prompt.prompt)})`,
  ];
  const values = prompt.arguments
    .filter(({ required }) => required)
    .map(({ name }) => (/[=:]/.test(name) ? JSON.stringify({ [name]: "text" }) : `${name}=text`));
  const hidden = again.map((word) => redact(word, secrets));
  const example = ["mcphost", "prompt", ...[prompt.name, ...values, ...hidden].map(shellQuote)];
  const words = fold(parts.filter((part) => part !== "").join("\n\n"), width);
  return `${words}\n\nExample:\n  ${example.join(" ")}\n`;
}

async function noMatch(pattern: string, prompts: readonly HostPrompt[]): Promise<HostError> {
  const { didYouMean, nearest } = await import("../../base/nearest.ts");
  const near = nearest(
    pattern,
    prompts.map((one) => [one.name, one.prompt, `${one.server}.${one.prompt}`] as const),
  );
  const count = prompts.length === 1 ? "there is 1 prompt" : `there are ${prompts.length} prompts`;
  return new HostError("usage", `no prompt matches ${JSON.stringify(pattern)}`, {
    facts: { pattern, nearest: near, prompts: prompts.length },
    hint: didYouMean(near) ?? count,
  });
}
