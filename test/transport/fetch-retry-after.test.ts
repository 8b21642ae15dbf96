/** The ordinary request: refusals that name their time are tried again, a bounded number of times. */
import { describe, expect, test } from "bun:test";

import { fetchOf, httpServer, post } from "./fetch-kit.ts";

/** Refuses that many requests, and keeps all bodies. */
const refusing = (times: number, status: number, after: string) => {
  const bodies: string[] = [];
  const server = httpServer(async (request) => {
    bodies.push(await request.text());
    return bodies.length <= times
      ? new Response("busy", { status, headers: { "retry-after": after } })
      : new Response("done");
  });
  return Object.assign(server, { bodies });
};

describe("Retry-After (B049)", () => {
  test.each([
    [429, "0"],
    [503, "0"],
    [503, "Wed, 21 Oct 2015 07:28:00 GMT"],
  ])("%d with %j is sent again, whole", async (status, after) => {
    await using server = refusing(2, status, after);
    using fetch = fetchOf();
    expect(await (await fetch(server.url, post)).text()).toBe("done");
    expect(server.bodies).toEqual(["{}", "{}", "{}"]);
    expect(fetch.logs.map(({ text }) => text)[0]).toContain(`status ${status}`);
  });

  test("a second is waited for", async () => {
    await using server = refusing(1, 429, "1");
    using fetch = fetchOf();
    const began = performance.now();
    expect(await (await fetch(server.url, post)).text()).toBe("done");
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  test("at most three times: then the refusal is the answer, with its body", async () => {
    await using server = refusing(99, 503, "0");
    using fetch = fetchOf();
    const response = await fetch(server.url, post);
    expect([response.status, await response.text()]).toEqual([503, "busy"]);
    expect(server.bodies).toHaveLength(4);
  });

  test.each(["3600", "soon", "-1", "", "1e3", new Date(Date.now() + 3_600_000).toUTCString()])(
    "%j is not waited for",
    async (after) => {
      await using server = refusing(99, 429, after);
      using fetch = fetchOf();
      expect((await fetch(server.url, post)).status).toBe(429);
      expect(server.bodies).toHaveLength(1);
    },
  );

  test.each([
    ['{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"half done"}}', 1],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"too many"}}', 4],
    ['{"error":"too many"}', 4],
  ])("a body that answers by the request's id is the answer: %s", async (body, times) => {
    let asked = 0;
    const headers = { "retry-after": "0", "content-type": "application/json" };
    await using server = httpServer(() => {
      asked++;
      return new Response(body, { status: 503, headers });
    });
    using fetch = fetchOf();
    const response = await fetch(server.url, post);
    expect([response.status, await response.text(), asked]).toEqual([503, body, times]);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("other statuses are not tried again", async () => {
    await using server = refusing(99, 500, "0");
    using fetch = fetchOf();
    expect((await fetch(server.url, post)).status).toBe(500);
    expect(server.bodies).toHaveLength(1);
  });

  test("the caller's signal ends the wait", async () => {
    await using server = refusing(99, 503, "20");
    using fetch = fetchOf();
    const control = new AbortController();
    const request = fetch(server.url, { ...post, signal: control.signal });
    while (fetch.logs.length === 0) await Bun.sleep(1);
    control.abort(new Error("enough"));
    await expect(request).rejects.toThrow("enough");
  });
});
