/** Plugins of one tool. */
import type { RunContext } from "../../lib/hooks/plugin-tool.ts";
import type { Plugin } from "../../lib/hooks/plugin.ts";
import { object } from "./kit.ts";

/** A plugin with one tool. */
export function toolOf(
  run: (args: never, context: RunContext) => unknown,
  more: object = {},
): Plugin {
  return { name: "t", tools: { it: { description: "", input: object, run, ...more } } };
}

/** The content of a result that is one text. */
export const text = (words: string) => [{ type: "text", text: words }];
