/** The ordinary request: redirects are followed within the origin alone. */
import { describe, expect, test } from "bun:test";

import { errorOf, fetchOf, httpServer, post } from "./fetch-kit.ts";

describe("redirects", () => {
  test.each([301, 302, 307, 308])(
    "%d within the origin: same method, body, headers",
    async (status) => {
      await using server = httpServer(async (request) =>
        new URL(request.url).pathname === "/mcp"
          ? new Response("moved", { status, headers: { location: "/mcp/" } })
          : Response.json([request.method, await request.text(), request.headers.get("x-key")]),
      );
      using fetch = fetchOf({ headers: { "X-Key": "k" } });
      const seen = await (await fetch(server.url, post)).json();
      expect(seen).toEqual(["POST", "{}", "k"]);
    },
  );

  test("303 after a GET is followed, after a POST it is not: that was done already", async () => {
    await using server = httpServer((request) =>
      new URL(request.url).pathname === "/mcp"
        ? new Response(null, { status: 303, headers: { location: "/other" } })
        : new Response(request.method),
    );
    using fetch = fetchOf();
    expect(await (await fetch(server.url)).text()).toBe("GET");
    const error = await errorOf(fetch(server.url, post));
    expect(error.code).toBe("server_exit");
    expect(error.facts).toMatchObject({ sent: true, httpStatus: 303 });
  });

  test("another origin is never followed, gets no header, and is named without its query", async () => {
    const seen: string[] = [];
    await using other = httpServer((request) => {
      seen.push(request.url);
      return new Response("stolen");
    });
    const location = `http://u:s3cr3t-5@127.0.0.1:${other.port}/take?key=s3cr3t-6`;
    await using server = httpServer(
      () => new Response(null, { status: 307, headers: { location } }),
    );
    using fetch = fetchOf({ headers: { Authorization: "Bearer s3cr3t-4" } });
    const error = await errorOf(fetch(server.url, post));
    expect(error.message).toBe(
      `server "srv": http://127.0.0.1:${server.port} redirects to http://127.0.0.1:${other.port}/take`,
    );
    const shown = `http://127.0.0.1:${other.port}/take`;
    expect(error.facts).toMatchObject({ sent: false, location: shown });
    expect(error.hint).toContain("write its address in the config");
    expect(JSON.stringify([error.message, error.facts, error.hint])).not.toContain("s3cr3t");
    expect(seen).toEqual([]);
  });

  test.each(["https", "ftp"])("the same host by %s is another origin", async (scheme) => {
    await using server = httpServer(({ url }) => {
      const location = url.replace("http", scheme);
      return new Response(null, { status: 301, headers: { location } });
    });
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    expect(error.message).toContain(`redirects to ${scheme}:`);
  });

  test("a circle ends", async () => {
    let requests = 0;
    await using server = httpServer(() => {
      requests++;
      return new Response(null, { status: 307, headers: { location: `/${requests % 2}` } });
    });
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    expect(error.message).toBe('server "srv": more than 5 redirects');
    expect([error.facts.sent, requests]).toEqual([false, 6]);
  });

  test.each([
    [304, undefined],
    [302, undefined],
  ])("status %d without a place is an answer", async (status) => {
    await using server = httpServer(() => new Response(null, { status }));
    using fetch = fetchOf();
    expect((await fetch(server.url, post)).status).toBe(status);
  });

  test("a place that is none is an error", async () => {
    await using server = httpServer(
      () => new Response(null, { status: 307, headers: { location: "http://[" } }),
    );
    using fetch = fetchOf();
    expect((await errorOf(fetch(server.url, post))).message).toContain("to what is no address");
  });
});
