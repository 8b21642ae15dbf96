/** Calls of tools that ask, and how their questions are answered on a terminal. */
import { join } from "node:path";

import { bunAlone, mcphost, root, type Screen } from "../harness.ts";

const server = [...bunAlone, join(root, "test/fixtures/cli/forms.ts")];

/** A server of the modern era that asks. */
export const modern = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), "modern"];

/** A call of these words to the legacy server that asks. */
export const call = (...words: string[]) => mcphost("call", ...words, "--", ...server);

/** The argument that makes the server ask for a form. */
export const form = (properties: object, required: string[] = [], message = "Tell us") => {
  const schema = { type: "object", properties, required };
  return `--args=${JSON.stringify({ message, schema })}`;
};

/** The arrow that goes down. */
export const down = "\u001b[B";

/** Types keys once a text stands there that was not there before. */
export async function answers(screen: Screen, steps: readonly (readonly [RegExp, string])[]) {
  let from = 0;
  for (const [pattern, keys] of steps) {
    await screen.shows(new RegExp(`^[^]{${from}}[^]*?(?:${pattern.source})`));
    from = screen.text().length;
    screen.type(keys);
  }
}

/** The last line of JSON on the screen. */
export function lastJson(screen: Screen): unknown {
  const line = screen
    .text()
    .match(/\{[^\r\n]*\}(?=\r\n)/g)
    ?.at(-1);
  return line === undefined ? screen.text() : JSON.parse(line);
}
