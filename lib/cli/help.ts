/**
 * What `--help`, `--version` and the bare program print: our tables of commands and flags as citty's, rendered by its
 * `renderUsage`. What citty cannot show (long aliases, repeated flags, lines that end) is put into the table before or
 * mended after. Text in, text out; citty is loaded for help alone.
 */
import type { ArgsDef, CommandDef } from "citty";

import { version } from "../../package.json";
import { legacyRevisions, modernRevisions } from "../protocol/codecs.ts";
import { fold } from "./fit.ts";
import type { Command, FlagDef, FlagTable } from "./types.ts";

export interface HelpOptions {
  /** The reader is a terminal that wants it. */
  color: boolean;
  /** Of the terminal; Infinity for a pipe. */
  width: number;
}

const program = "mcphost";

/** The commands, one a line. */
export async function commandsText(
  commands: readonly Command[],
  options: HelpOptions,
): Promise<string> {
  const description = "Call the tools of MCP servers from the shell";
  const subCommands = Object.fromEntries(
    commands.map(({ name, description: words }) => [name, { meta: { description: words } }]),
  );
  const command = { meta: { name: program, version, description }, subCommands };
  const texts = commands.map((one) => one.description);
  const flags = `Flags may stand anywhere before "--", behind which a server's command line stands.`;
  return `${await render(command, texts, options)}

${fold(flags, options.width)}

${heading("EXAMPLE", options)}

  ${program} call echo message=hi -- npx -y @modelcontextprotocol/server-everything
  ${program} tools -s https://example.com/mcp
`;
}

/** The flags of one command and one example. */
export async function commandText(command: Command, options: HelpOptions): Promise<string> {
  const { name, description, usage, flags, example } = command;
  const args = argsOf(flags);
  const meta = { name: `${program} ${name}`, description };
  const texts = Object.values(args).map((arg) => arg.description ?? "");
  // citty knows neither `…` nor `--`.
  const names = Object.entries(args).filter(([, { type }]) => type === "positional");
  const theirs = names.map(([word]) => `[${word}]`).join(" ");
  const line = new RegExp(`\\[OPTIONS\\] ?${RegExp.escape(theirs)}`);
  const text = await render({ meta, args }, texts, options, (words) =>
    words.replace(line, () => `[OPTIONS] ${usage}`.trim()),
  );
  return `${text}

${heading("EXAMPLE", options)}

  ${example}
`;
}

/** Our version, Bun's, and the revisions spoken, newest first. */
export function versionText(): string {
  const revisions = [...modernRevisions, ...legacyRevisions].toSorted().toReversed();
  return `mcphost ${version} (Bun ${Bun.version}; MCP ${revisions.join(", ")})\n`;
}

// --- internal ---

/** More is hard to read, however wide the terminal. */
const lineMax = 100;
/** What descriptions get at least, beside what they describe or below it. */
const textMin = 24;

/** citty's own rendering, its descriptions (`texts`) wrapped, without colour where none is wanted. */
async function render(
  command: CommandDef,
  texts: readonly string[],
  { color, width }: HelpOptions,
  mended: (usage: string) => string = (usage) => usage,
): Promise<string> {
  const { renderUsage } = await import("citty");
  // They stand below, one a line.
  const names = Object.keys(command.subCommands ?? {}).join("|");
  const usage = mended((await renderUsage(command)).replace(names, names && "COMMAND"));
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  const lines = (color ? usage : Bun.stripANSI(usage)).trimEnd().split("\n");
  const columns = Math.min(width, lineMax);
  return lines.map((line) => wrapped(line.trimEnd(), longestFirst, columns)).join("\n");
}

/** A flag as citty takes it: it writes each alias with one dash, and knows no flag that is given twice. What is required is ours to say. */
function argsOf(flags: FlagTable): ArgsDef {
  const args = Object.entries(flags).map(([name, def]) => {
    const { type, valueHint } = def;
    const alias = (def.alias ?? []).filter(isShort);
    const description = wordsOf(def);
    return [name, { type, alias, description, required: false, ...(valueHint && { valueHint }) }];
  });
  return Object.fromEntries(args) as ArgsDef;
}

function wordsOf({ description, repeat, alias = [] }: FlagDef): string {
  const also = alias.filter((one) => !isShort(one)).map((one) => `also --${one}`);
  const notes = [...(repeat ? ["may be repeated"] : []), ...also];
  return notes.length === 0 ? description : `${description} (${notes.join(", ")})`;
}

function isShort(alias: string): boolean {
  return alias.length === 1;
}

/** citty gives a description one line, however long. */
function wrapped(line: string, texts: readonly string[], columns: number): string {
  const text = texts.find((one) => line.endsWith(one)) ?? "";
  const head = line.slice(0, line.length - text.length);
  const column = Bun.stringWidth(head);
  if (text === "") return Bun.wrapAnsi(line, columns, { trim: !line.startsWith(" ") });
  if (columns - column >= textMin)
    return head + Bun.wrapAnsi(text, columns - column).replaceAll("\n", `\n${" ".repeat(column)}`);
  // Side by side they have no room: the text goes below.
  const below = Bun.wrapAnsi(text, Math.max(columns - belowAt.length, textMin));
  return `  ${head.trim()}\n${belowAt}${below.replaceAll("\n", `\n${belowAt}`)}`;
}

const belowAt = " ".repeat(6);

/** In the manner of citty's own. */
function heading(text: string, { color }: HelpOptions): string {
  return color ? `\x1b[4m\x1b[1m${text}\x1b[22m\x1b[24m` : text;
}
