/** Streamable HTTP: session ids that are none, came twice, or are missing. */
import { describe, expect, test } from "bun:test";

import { answer, failure, greet, modern, open, plain, serve, soon } from "../fixtures/http/kit.ts";

describe("session ids that are none", () => {
  test("one with characters that none may have fails initialize, with the reason", async () => {
    await using server = serve((seen) => plain(seen, "a b"));
    await using link = open(server.url);
    expect(await failure(link.peer.request("initialize", {}, soon))).toMatchObject({
      code: "rpc_error",
      message: 'server "srv" gave a session id with characters that none may have',
      facts: { sessionId: "unusable" },
    });
    await link.peer.request("next", modern(), soon);
  });

  test("one that came twice is one", async () => {
    await using server = serve((seen) => plain(seen, "a1, a1"));
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("tools/list")[0]?.headers["mcp-session-id"]).toBe("a1");
    expect(link.said("warn")).toEqual([]);
  });

  test("another one later on is ignored, and said once", async () => {
    await using server = serve((seen) =>
      seen.method === "tools/list"
        ? answer(seen, {}, { headers: { "mcp-session-id": "other" } })
        : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("tools/list")[1]?.headers["mcp-session-id"]).toBe("session-1");
    expect(link.said("warn")).toEqual([
      "it sent another session id after initialize, which was ignored",
    ]);
  });

  test("a missing one shows in what the server says", async () => {
    await using server = serve((seen) => {
      if (seen.method === "initialize") return answer(seen, { protocolVersion: "2025-11-25" });
      const error = { code: -32000, message: "Mcp-Session-Id header is required" };
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
    });
    await using link = open(server.url);
    await link.peer.request("initialize", { protocolVersion: "2025-11-25" }, soon);
    expect(await failure(link.peer.request("tools/list", {}, soon))).toMatchObject({
      code: -32000,
      message: "Mcp-Session-Id header is required",
    });
  });
});
