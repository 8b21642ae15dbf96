/**
 * Text from servers made safe for a terminal: control characters that could move the cursor, forge output or turn text
 * round are written as \uXXXX, which is also how JSON writes them. For pipes nothing is changed. Pure.
 */

/** C0 but tab and newline (and a CR that ends a line), DEL, C1, and the bidirectional controls of Unicode. */
const controls =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

/** The text with all lines but the first indented: none of them passes for a message of its own. */
export function hanging(text: string): string {
  return text.replace(/\r\n|[\r\n]/g, "\n  ");
}

/** The text with its control characters made visible. */
export function visible(text: string): string {
  return text.replace(
    controls,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
