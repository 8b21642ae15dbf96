/** Which transport a URL speaks: when HTTP+SSE is tried, and which error counts. */
import { describe, expect, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import { echo, hostOf } from "./remote-kit.ts";

describe("which transport a URL speaks", () => {
  test("HTTP+SSE is tried only where initialize was refused by 400, 404 or 405 without a message", async () => {
    for (const status of [400, 404, 405]) {
      await using server = await serveRemote({
        transport: "sse",
        intercept: ({ method, path }) =>
          method === "POST" && path === "/sse" ? new Response("no", { status }) : undefined,
      });
      await using host = await hostOf(server);
      expect(await echo(host, "hi")).toBe("hi");
    }
  });

  // B034
  test.each([
    [
      "500",
      () => new Response("broken", { status: 500 }),
      { code: "server_start", facts: { httpStatus: 500 } },
    ],
    [
      "503",
      () => new Response("soon", { status: 503 }),
      { code: "server_start", facts: { httpStatus: 503 } },
    ],
    ["401", () => new Response("who?", { status: 401 }), { code: "auth_required" }],
    [
      "404 with a message",
      () =>
        Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32000, message: "gone" } },
          { status: 404 },
        ),
      { code: "server_start" },
    ],
    [
      "a web page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      { code: "server_start" },
    ],
  ])("%s is told as it is, and nothing else is tried", async (_, answer, expected) => {
    const methods: string[] = [];
    await using server = await serveRemote({
      transport: "http",
      intercept: ({ method }) => {
        methods.push(method);
        return method === "POST" ? answer() : new Response("not here", { status: 405 });
      },
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject(expected);
    expect(methods).not.toContain("GET");
  });

  test.each<[string, () => Response, object]>([
    [
      "an address for messages elsewhere",
      () =>
        new Response("event: endpoint\ndata: http://inside:8080/messages\n\n", {
          headers: { "content-type": "text/event-stream" },
        }),
      { code: "server_start", message: expect.stringContaining("http://inside:8080") },
    ],
    [
      "a stream that ends",
      () => new Response("", { headers: { "content-type": "text/event-stream" } }),
      { code: "server_start", message: expect.stringContaining("ended its event stream") },
    ],
    [
      "a sign-in",
      () => new Response("who?", { status: 401 }),
      { code: "auth_required", facts: { httpStatus: 401 } },
    ],
  ])("where HTTP+SSE is there, its own error counts: %s", async (_, get, expected) => {
    await using server = await serveRemote({
      transport: "http",
      intercept: ({ method }) =>
        method === "GET" ? get() : new Response("no such thing", { status: 404 }),
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject(expected);
  });

  test("the first error counts where HTTP+SSE is not there either", async () => {
    await using server = await serveRemote({
      transport: "http",
      intercept: () => new Response("nothing here", { status: 404 }),
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed[0]?.error).toMatchObject({
      code: "server_start",
      facts: { httpStatus: 404, method: "initialize" },
    });
  });
});
