/** Edits of the config while `serve` runs. */
import type { Asked, Configured } from "./config-kit.ts";

/** A config with comments, and with a key that is not ours. */
export const commented = (servers: object) =>
  `// mine\n{\n  "mcpServers": ${JSON.stringify(servers)}, // those\n  "theirs": [1, 2]\n}\n`;

/** An edit of the revision that there is. */
export async function edit(
  it: Configured,
  method: string,
  path: string,
  json?: object,
  more: Asked = {},
) {
  const { etag } = await it.decide("/servers");
  const headers = { "if-match": etag ?? "" };
  return await it.decide(path, { method, ...(json && { json }), headers, ...more });
}
