/** Streamable HTTP: whatever a notification is answered with disturbs nothing. */
import { describe, expect, test } from "bun:test";

import { greet, open, serve, soon, until } from "../fixtures/http/kit.ts";
import { html, json, refusal } from "./http-answers-kit.ts";

describe("notifications", () => {
  test.each<[string, () => Response]>([
    ["B047: 204", () => new Response(null, { status: 204 })],
    ["202", () => new Response(null, { status: 202 })],
    ["200 with nothing", () => new Response("")],
    ["200 with null", () => new Response("null", { headers: json })],
    ["200 with a page", () => new Response("<p>", { headers: html })],
    [
      "200 with an empty stream",
      () => new Response(":\n\n", { headers: { "content-type": "text/event-stream" } }),
    ],
  ])("%s is fine", async (_name, taken) => {
    await using server = serve((seen) =>
      seen.method === "notifications/initialized" ? taken() : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    await until(() => server.of("GET").length === 1);
    expect(link.said("warn")).toEqual([]);
  });

  test("a refusal is a warning, and no end", async () => {
    await using server = serve((seen) =>
      seen.method === "notifications/initialized"
        ? new Response("what?", { status: 500 })
        : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    await until(() => link.said("warn").length === 1);
    expect(link.said("warn")).toEqual(["it refused notifications/initialized (HTTP 500): what?"]);
  });

  test("O010, B058: JSON-RPC errors in answer to a notification disturb nothing", async () => {
    await using server = serve((seen) =>
      seen.method?.startsWith("notifications/")
        ? Response.json({ jsonrpc: "2.0", id: null, error: refusal }, { status: 400 })
        : undefined,
    );
    await using link = open(server.url);
    await link.peer.notify("notifications/x");
    await link.peer.request("tools/list", {}, soon);
  });
});
