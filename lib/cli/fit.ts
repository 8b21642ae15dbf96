/**
 * Text of ours made to fit a terminal: wrapped at words, or cut, its control characters visible. A pipe gets it whole and
 * as it is. Pure.
 */
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

/** The columns for what goes to stdout; Infinity where that is no terminal. */
export function widthOf({ terminal }: Pick<Io, "terminal">): number {
  return terminal.stdout ? Math.max(terminal.columns, widthMin) : Infinity;
}

/** Text for stdout: on a terminal its control characters are visible. */
export function shown(text: string, { terminal }: Pick<Io, "terminal">): string {
  return terminal.stdout ? visible(text) : text;
}

/** Wraps each line that is too long; what follows is indented, by 2 more unless it is deep already. */
export function fold(text: string, width: number): string {
  if (width === Infinity) return text;
  return visible(text)
    .split("\n")
    .map((line) => foldLine(line, width))
    .join("\n");
}

/** One line, its end cut off. */
export function cut(line: string, width: number): string {
  return width === Infinity ? line : Bun.sliceAnsi(visible(line), 0, width, "…");
}

/** One line, its start cut off. */
export function cutStart(line: string, width: number): string {
  if (width === Infinity) return line;
  return Bun.sliceAnsi(visible(line), -Math.max(width, widthMin), undefined, "…");
}

// --- internal ---

/** Below that nothing can be laid out. */
const widthMin = 20;
const deep = 4;

function foldLine(line: string, width: number): string {
  if (Bun.stringWidth(line) <= width) return line;
  const indent = line.length - line.trimStart().length;
  const below = indent < deep ? indent + 2 : indent;
  const lines = Bun.wrapAnsi(line.slice(indent), width - below).split("\n");
  return lines.map((one, at) => " ".repeat(at === 0 ? indent : below) + one).join("\n");
}
