/**
 * TOML as a value, by `Bun.TOML`; what cannot be parsed is an error with its line, which `Bun.TOML` does not give.
 * Objects have no prototype. Pure.
 */
import { plainNumbers } from "./jsonc.ts";
import { type ParsedText, type Position, syntaxError, type TextSource } from "./problems.ts";

/** @throws HostError `config`, with the line where it can be told */
export function parseToml(text: string, source: TextSource): ParsedText {
  try {
    return { value: plainNumbers(Bun.TOML.parse(text)), warnings: [] };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^TOML Parse error: /, "") : "";
    throw syntaxError(source, why, tomlErrorAt(text), { cause });
  }
}

// --- internal ---

/** The first line behind the longest beginning that parses: an error stands there, or something that never ends. */
function tomlErrorAt(text: string): Position | undefined {
  const lines = text.split("\n");
  if (lines.length > tomlLinesMax) return undefined;
  let good = 0;
  for (let count = 1; count <= lines.length; count++)
    if (isToml(lines.slice(0, count).join("\n"))) good = count;
  return { line: good + 1, column: (lines[good] ?? "").search(/\S|$/) + 1 };
}

/** Beyond it, looking for the line would take seconds. */
const tomlLinesMax = 2000;

function isToml(text: string): boolean {
  try {
    Bun.TOML.parse(text);
    return true;
  } catch {
    return false;
  }
}
