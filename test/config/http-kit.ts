/** What the tests of servers behind a URL share: one such server as it is read, and a world to expand it in. */
import { readValue } from "../../lib/config/files.ts";
import type { HttpServer } from "../../lib/config/types.ts";
import type { ExpandContext } from "../../lib/config/values.ts";
import { configOf } from "./kit.ts";

/** The address of the server. */
export const url = "https://docs.example.com/mcp";

/** One server `h` of a file, as it was read. */
export async function read(entry: object, more: object = {}) {
  const config = await configOf(JSON.stringify({ mcpServers: { h: { url, ...entry } }, ...more }));
  return { config, server: config.servers[0] as HttpServer };
}

/** What expansion may ask. */
export function context(folder: string, env: Record<string, string> = {}): ExpandContext {
  return { env, cwd: folder, home: "/home/me", given: new Map(), inputs: {}, readFile: readValue };
}
