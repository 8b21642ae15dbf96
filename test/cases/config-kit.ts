/** What a server sees of its config entry. */
import { expect } from "bun:test";

import { mcphost } from "../harness.ts";
import { config, entry } from "./kit.ts";

/** The environment that a config is expanded in. */
export const ours = { A: "value-a", B: "${A}", EMPTY: "", UNSET: undefined };

/** What a server of this entry sees of its environment, or its arguments. */
export async function seen(
  more: Record<string, unknown>,
  what: "env" | "argv",
  env: Record<string, string | undefined> = ours,
) {
  const { args = [], ...others } = more;
  const server = entry("plain.tells", others);
  server.args.push(...(args as string[]));
  const run = await mcphost("call", what, ...config({ s: server }))
    .env(env)
    .run();
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(run.stdout);
}
