/** Streamable HTTP: what a modern server gets, in headers that repeat the message, without a session. */
import { describe, expect, test } from "bun:test";

import { answer, failure, greet, modern, open, serve, soon } from "../fixtures/http/kit.ts";

/** As a server decodes a header. */
function decode(value = ""): string {
  const found = /^=\?base64\?(.*)\?=$/.exec(value);
  return found === null ? value : Buffer.from(found[1]!, "base64").toString();
}

describe("what a modern server gets", () => {
  test("the headers repeat the message, those of the call are added, and there is no session", async () => {
    await using server = serve((seen) => answer(seen));
    await using link = open(server.url);
    const params = modern({ name: "grüße", arguments: {} });
    await link.peer.request("tools/call", params, {
      ...soon,
      headers: { "Mcp-Param-Region": "eu" },
    });
    await link.peer[Symbol.asyncDispose]();
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?Z3LDvMOfZQ==?=",
      "mcp-param-region": "eu",
      accept: "application/json, text/event-stream",
    });
  });

  test("B059: names that no header can hold", async () => {
    const names = ["café", " pad ", "a\r\nX: y", "=?base64?dGVzdA==?=", "plain_1"];
    await using server = serve((seen) =>
      answer(seen, { same: decode(seen.headers["mcp-name"]) === seen.params?.name }),
    );
    await using link = open(server.url);
    for (const name of names)
      expect(
        (await link.peer.request("tools/call", modern({ name }), soon)).response.result,
      ).toEqual({ same: true });
    expect(server.seen.at(-1)?.headers["mcp-name"]).toBe("plain_1");
  });

  test("a session that a legacy server began for the probe is ended", async () => {
    await using server = serve((seen) =>
      seen.method === "server/discover"
        ? new Response("no", { status: 400, headers: { "mcp-session-id": "by-mistake" } })
        : undefined,
    );
    const link = open(server.url);
    expect(await failure(link.peer.request("server/discover", modern(), soon))).toMatchObject({
      code: "rpc_error",
      facts: { httpStatus: 400 },
    });
    await greet(link.peer);
    await link.peer[Symbol.asyncDispose]();
    const ended = server.of("DELETE").map(({ headers }) => headers["mcp-session-id"]);
    expect(ended).toEqual(["by-mistake", "session-1"]);
  });

  test("one that comes with every other answer of a modern server is left alone", async () => {
    await using server = serve((seen) =>
      answer(seen, {}, { headers: { "mcp-session-id": "all" } }),
    );
    await using link = open(server.url);
    await link.peer.request("server/discover", modern(), soon);
    for (const method of ["tools/list", "tools/call"])
      await link.peer.request(method, modern(), soon);
    expect(server.of("DELETE")).toHaveLength(1);
    expect(link.said("warn")).toEqual([]);
  });
});
