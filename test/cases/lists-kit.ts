/** Servers that list given tools, and what is listed of them. */
import { expect } from "bun:test";

import { mcphost } from "../harness.ts";
import { entry } from "./kit.ts";

/** The config entry of a server whose tools have these names. */
export const named = (...names: string[]) =>
  entry(
    "lists.listed",
    {},
    JSON.stringify(names.map((name) => ({ name, inputSchema: { type: "object" } }))),
  );

/** What is listed of a tool. */
interface Listed {
  name: string;
  server: string;
  tool: string;
}

/** What `mcphost tools --json WORDS…` lists. */
export async function listOf(words: string[]): Promise<Listed[]> {
  const run = await mcphost("tools", "--json", ...words).run();
  expect(run.code).toBe(0);
  return JSON.parse(run.stdout);
}
