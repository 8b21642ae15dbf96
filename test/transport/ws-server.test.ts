/** MCP over a WebSocket with a whole server of either era: calls beside each other. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { open } from "./ws-kit.ts";

test.each(["legacy", "modern"] as const)(
  "a whole server, %s: calls beside each other",
  async (era) => {
    await using server = await serveRemote({ transport: "ws", era });
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const _meta: JsonObject =
      era === "legacy"
        ? {}
        : {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          };
    const ask = async (method: string, params: JsonObject) =>
      (await peer.request(method, { ...params, _meta }, { timeoutMs: 10_000 })).response.result;
    if (era === "legacy")
      await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    const calls = Array.from({ length: 100 }, (_, a) =>
      ask("tools/call", { name: "add", arguments: { a, b: 1 } }),
    );
    const texts = (await Promise.all(calls)).map(
      (sum) => (sum as { content: { text: string }[] }).content[0]!.text,
    );
    expect(texts).toEqual(Array.from({ length: 100 }, (_, a) => String(a + 1)));
    server.cutStreams();
    expect(await link.transport.closed).toMatchObject({ kind: "error", closeCode: 1006 });
  },
);
