/** What `--help`, `--version` and the bare program print. Pure: text in, text out; loaded only when asked for. */
import { version } from "../../package.json";
import { legacyRevisions, modernRevisions } from "../protocol/codecs.ts";
import type { Command, FlagDef } from "./types.ts";

/** The commands, one a line. */
export function commandsText(commands: readonly Command[]): string {
  const rows = commands.map((command): Row => [
    `${command.name} ${command.usage}`.trim(),
    command.description,
  ]);
  return `mcphost: calls the tools of MCP servers from the shell

Usage: mcphost COMMAND [FLAGS] [-- SERVER COMMAND…]

${columns(rows)}

Flags may stand anywhere before "--". mcphost COMMAND --help shows those of a command.

  mcphost call echo message=hi -- npx -y @modelcontextprotocol/server-everything
`;
}

/** The flags of one command and one example. */
export function commandText(command: Command): string {
  const rows = Object.entries(command.flags)
    .filter(([, def]) => def.type !== "positional")
    .map(([name, def]): Row => [flagLabel(name, def), flagWords(name, def)]);
  return `${command.description}

Usage: ${`mcphost ${command.name} ${command.usage}`.trim()}

${columns(rows)}

Example:
  ${command.example}
`;
}

/** Our version, Bun's, and the revisions spoken, newest first. */
export function versionText(): string {
  const revisions = [...modernRevisions, ...legacyRevisions].toSorted().toReversed();
  return `mcphost ${version} (Bun ${Bun.version}; MCP ${revisions.join(", ")})\n`;
}

// --- internal ---

type Row = [label: string, words: string];

const labelMax = 30;
const lineMax = 100;

function flagLabel(name: string, def: FlagDef): string {
  const short = def.alias?.find((alias) => alias.length === 1);
  const value = def.type === "string" ? ` ${def.valueHint ?? "VALUE"}` : "";
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value}`;
}

function flagWords(name: string, def: FlagDef): string {
  const others = (def.alias ?? []).filter((alias) => alias.length > 1).map((alias) => `--${alias}`);
  const notes = [...(def.repeat ? ["may be repeated"] : []), ...others.map((o) => `also ${o}`)];
  return notes.length === 0 ? def.description : `${def.description} (${notes.join(", ")})`;
}

/** Two columns; a label that is too long has a line of its own, long words are wrapped. */
function columns(rows: readonly Row[]): string {
  const width = Math.min(labelMax, Math.max(...rows.map(([label]) => label.length)));
  return rows
    .map(([label, words]) => {
      const lines = wrap(words, lineMax - width - 4);
      const head = label.length > width ? [`  ${label}`] : [];
      const body = lines.map((line, i) => {
        const left = i === 0 && head.length === 0 ? label : "";
        return `  ${left.padEnd(width)}  ${line}`;
      });
      return [...head, ...body].join("\n");
    })
    .join("\n");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
