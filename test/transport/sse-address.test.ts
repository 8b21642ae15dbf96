/** HTTP+SSE: the address for messages, as the server names it, is resolved, refused or tried elsewhere. */
import { describe, expect, test } from "bun:test";

import { createFetch } from "../../lib/transport/fetch.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { endpointOf } from "../../lib/transport/sse-endpoint.ts";
import { waitFor } from "../processes.ts";
import { event, failure, open, request, result, scripted } from "./sse-kit.ts";

describe("opening", () => {
  test("the address is resolved against the URL; messages go there with the configured headers", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    const [post] = server.posts;
    expect(new URL(post!.url).pathname).toBe("/messages");
    expect(post!.body).toBe('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}');
    expect(post!.headers.get("content-type")).toBe("application/json");
    expect(post!.headers.get("authorization")).toBe("Bearer t0ken");
  });

  test("an absolute address of the same origin, behind comments and other events", async () => {
    await using server = scripted({ first: "" });
    const opening = open(server.url);
    const origin = new URL(server.url).origin;
    server.write(": hello\r\n\r\nevent: ping\ndata: {}\n\n");
    server.write(`event: endpoint\r\ndata: ${origin}/other\r\n\r\n`);
    await using link = await opening;
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(server.posts[0]!.url).toBe(`${origin}/other`);
  });

  test("an address that comes in pieces, and late", async () => {
    await using server = scripted({ first: "" });
    const opening = open(server.url, { startTimeoutMs: 10_000 });
    for (const piece of ["event: end", "point\nda", "ta: /mess", "ages\n", "\n"]) {
      await Bun.sleep(5);
      server.write(piece);
    }
    await using link = await opening;
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(server.posts[0]!.url).toEndWith("/messages");
  });

  test.each([
    "http://127.0.0.1:1/messages",
    "//example.com/messages",
    "https://127.0.0.1/messages",
  ])("an address of another origin is refused, and gets nothing: %s", async (address) => {
    await using server = scripted({ first: `event: endpoint\ndata: ${address}\n\n` });
    const { code, message, hint } = await failure(server.url);
    expect(code).toBe("server_start");
    expect(message).toContain("of another origin");
    expect(hint).toContain("configured origin");
    await waitFor(() => server.cancelled === 1, "the stream to be let go");
  });

  test.each([
    ["/mcp/sse", "/messages/?id=1", "/mcp/messages/?id=1"],
    ["/a/b/sse/", "/messages", "/a/b/messages"],
    ["/api/v1/sse", "/v1/messages", "/api/v1/messages"],
    ["/mcp/sse", "messages?id=1", "/mcp/messages?id=1"],
    ["/mcp/sse", "?id=1", "/mcp/sse?id=1"],
  ])(
    "behind a proxy with a path of its own, %s and %s: messages go to %s",
    async (path, named, to) => {
      await using server = scripted({
        first: `event: endpoint\ndata: ${named}\n\n`,
        post: (asked) =>
          asked.url.endsWith(to) ? new Response("") : new Response("no", { status: 404 }),
      });
      await using link = await open(new URL(path, server.url).href);
      await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
      const greeted = peer.request("initialize", {}, { timeoutMs: 5000 });
      await waitFor(() => server.posts.some(({ url }) => url.endsWith(to)), "the post");
      server.write(event(result(1)));
      await greeted;
      await peer.notify("notifications/initialized");
      const { body, url } = server.posts.at(-1)!;
      expect([body.includes("initialized"), url.endsWith(to)]).toEqual([true, true]);
    },
  );

  test("where nothing is behind its path either, the address that was named is told", async () => {
    await using server = scripted({ post: () => new Response("no", { status: 404 }) });
    await using link = await open(new URL("/mcp/sse", server.url).href);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const error: unknown = await peer
      .request("initialize", {}, { timeoutMs: 5000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "server_start",
      message: expect.stringContaining("takes no messages at /messages"),
    });
    expect(server.posts).toHaveLength(2);
  });

  test("http: where we are by https, of a server that knows nothing of that, is https:", () => {
    const options = {
      name: "srv",
      url: "https://host/sse",
      fetch: createFetch({ name: "srv", log() {} }),
      log() {},
    };
    expect(endpointOf(options, "http://host/messages?a=1").href).toBe("https://host/messages?a=1");
    for (const other of ["http://host:8080/messages", "http://other/messages"])
      expect(() => endpointOf(options, other)).toThrow("of another origin");
  });

  test("an address in quotes is that address", async () => {
    await using server = scripted({ first: 'event: endpoint\ndata: "/messages?a=1"\n\n' });
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => server.posts.length === 1, "the post");
    expect(new URL(server.posts[0]!.url).pathname).toBe("/messages");
  });

  test("an address that is none", async () => {
    await using server = scripted({ first: "event: endpoint\ndata: http://[\n\n" });
    expect((await failure(server.url)).message).toContain("what is no URL");
  });
});
