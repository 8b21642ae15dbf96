/** `--log-level` also sets what servers are asked for: by a request in the legacy era, with every request in the modern one. */
import { expect, setDefaultTimeout, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import { mcphost } from "../harness.ts";

setDefaultTimeout(30_000);

const levels = [
  [[], "warning"],
  [["--log-level", "debug"], "debug"],
  [["--log-level", "warn"], "warning"],
  [["--log-level", "error"], "error"],
] as const;

test.each([["legacy"], ["modern"]] as const)("%s", async (era) => {
  for (const [flags, level] of levels)
    for (const words of [
      ["call", "echo", "text=a"],
      ["read", "note://one"],
      ["prompt", "plain"],
    ]) {
      await using server = await serveRemote({ transport: "http", era });
      const run = await mcphost(...words, ...flags, "-s", `far=${server.url}`).run();
      expect(run.code).toBe(0);
      const asked = server.requests.flatMap(({ message }) => {
        if (message === undefined || !("params" in message)) return [];
        const { method, params } = message;
        if (method === "logging/setLevel") return [params?.["level"]];
        const meta = params?.["_meta"] as Record<string, unknown> | undefined;
        const asks = meta?.["io.modelcontextprotocol/logLevel"];
        return asks === undefined ? [] : [asks];
      });
      expect(new Set(asked)).toEqual(new Set([level]));
    }
});
