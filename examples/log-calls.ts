/** Logs each call to a file, a JSON line each: `"plugins": [["./log-calls.ts", { "file": "calls.jsonl" }]]`. */
import { appendFile } from "node:fs/promises";

import { definePlugin } from "mcphost";

export default definePlugin(({ file = "calls.jsonl" }: { file?: string } = {}) => ({
  name: "log-calls",
  hooks: {
    async afterCall({ server, tool, actor, arguments: args }, { status, durationMs }) {
      const at = new Date().toISOString();
      const entry = { at, server, tool, actor, arguments: args, status, durationMs };
      await appendFile(file, `${JSON.stringify(entry)}\n`);
    },
  },
}));
