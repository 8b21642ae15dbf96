/**
 * Text from servers made safe for a terminal: control characters that could move the cursor, forge output or turn text
 * round, and characters that nobody sees, are written as \uXXXX, which is also how JSON writes them. For pipes nothing is
 * changed. Pure.
 */
import { shorten } from "../base/clip.ts";

/**
 * C0 but tab and newline (and a CR that ends a line), DEL, C1, the line ends and bidirectional controls of Unicode, and what takes no room
 * and can hide words from whoever approves them (zero width spaces, fillers, tags). Joiners and variation selectors are
 * part of how words and emoji are written.
 */
const controls =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\r(?!\n)/gu;

/** The text with all lines but the first indented: none of them passes for a message of its own. */
export function hanging(text: string): string {
  return text.replace(/\r\n|[\r\n]/g, "\n  ");
}

/** A few words of a stranger within a line of ours: no line of their own, and at most `max` UTF-16 units. */
export function oneLine(text: string, max: number): string {
  return shorten(text.trim().replaceAll(/\s*[\r\n]\s*/g, " "), max);
}

/** The text with its control characters made visible. */
export function visible(text: string): string {
  return text.replace(controls, (found) => found.split("").map(unit).join(""));
}

/** The same on one line: nothing in it can begin another. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll("\n", "\\u000a"));
}

// --- internal ---

function unit(half: string): string {
  return `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
