/** The ordinary request: headers, credentials, redirects, refusals that name their time, and connections that are kept. */
import { describe, expect, test } from "bun:test";

import { createFetch } from "../../lib/transport/fetch.ts";
import { errorOf, fetchOf, httpServer, post, rawServer } from "./fetch-kit.ts";

/** The headers that the server got. */
const seenBy = async (response: Promise<Response>) =>
  (await (await response).json()) as Record<string, string>;

const echo = (request: Request) => Response.json(Object.fromEntries(request.headers));

describe("headers", () => {
  test("of the config are under those of the request", async () => {
    await using server = httpServer(echo);
    using fetch = fetchOf({
      headers: { "X-Org": "one", Accept: "none", Authorization: "Bearer t" },
    });
    const headers = { accept: "application/json", authorization: "Bearer fresh" };
    const seen = await (await fetch(server.url, { ...post, headers })).json();
    expect(seen).toMatchObject({ "x-org": "one", ...headers });
  });

  test.each([
    ["K", "a\r\nX-Evil: 1"],
    ["K", "\u4e2d"],
    ["K ", "v"],
    ["", "v"],
  ])("%j: %j cannot be sent", (name, value) => {
    const make = () => createFetch({ name: "srv", log: () => {}, headers: { [name]: value } });
    expect(make).toThrow(`server "srv": the header ${JSON.stringify(name)} cannot be sent`);
  });

  test("user and password of the address become a header", async () => {
    await using server = httpServer(echo);
    using fetch = fetchOf();
    const url = server.url.replace("://", "://me%40home:p%C3%A4ss@");
    const seen = await seenBy(fetch(url, post));
    expect(Buffer.from(seen["authorization"]!.slice(6), "base64").toString()).toBe("me@home:päss");
    expect(seen["host"]).not.toContain("@");
  });

  test("a configured Authorization wins over the address", async () => {
    await using server = httpServer(echo);
    using fetch = fetchOf({ headers: { Authorization: "Bearer t" } });
    const url = server.url.replace("://", "://u:p@");
    expect((await seenBy(fetch(url, post)))["authorization"]).toBe("Bearer t");
  });

  test("no cookie is kept", async () => {
    await using server = httpServer((request) =>
      Response.json(request.headers.get("cookie"), { headers: { "set-cookie": "a=1" } }),
    );
    using fetch = fetchOf();
    await fetch(server.url, post);
    expect(await (await fetch(server.url, post)).json()).toBeNull();
  });
});

test("a variable that switches the checks of certificates off is warned of", () => {
  using fetch = fetchOf({ env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
  expect(fetch.logs.map(({ level }) => level)).toEqual(["warn"]);
});

test.each(["127.0.0.1", "::1"])("localhost is found where it listens on %s alone", async (host) => {
  await using server = httpServer(() => new Response("here"), { hostname: host });
  using fetch = fetchOf();
  const response = await fetch(`http://localhost:${server.port}/mcp`, post);
  expect(await response.text()).toBe("here");
});

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

describe("connections that are kept (B037)", () => {
  const answer = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok";

  test("requests one after the other share one", async () => {
    using server = rawServer((socket) => void socket.write(answer));
    using fetch = fetchOf();
    for (let n = 0; n < 3; n++) expect(await (await fetch(server.url, post)).text()).toBe("ok");
    expect(server.connections()).toBe(1);
  });

  test.each(["end", "terminate"] as const)(
    "one that the server closed while it was idle (%s) is not used again",
    async (how) => {
      const closed = Promise.withResolvers<void>();
      using server = rawServer((socket, { connection }) => {
        socket.write(answer);
        socket.flush();
        if (connection > 1) return;
        setTimeout(() => {
          socket[how]();
          closed.resolve();
        }, 20);
      });
      using fetch = fetchOf();
      await (await fetch(server.url, post)).text();
      await closed.promise;
      await Bun.sleep(20);
      expect(await (await fetch(server.url, post)).text()).toBe("ok");
      expect(server.connections()).toBe(2);
    },
  );

  test("a POST that the server got and did not answer is not sent twice: it may have been done", async () => {
    let requests = 0;
    using server = rawServer((socket, { request }) => {
      requests++;
      if (request === 1) socket.write(answer);
      else socket.end();
    });
    using fetch = fetchOf();
    await (await fetch(server.url, post)).text();
    const error = await errorOf(fetch(server.url, post));
    expect(error.code).toBe("server_exit");
    expect(error.facts).toMatchObject({ sent: true, errno: "ECONNRESET", port: server.port });
    expect(requests).toBe(2);
  });

  test("a server that starts again on its port is reached by the next request", async () => {
    using fetch = fetchOf();
    let port = 0;
    for (const name of ["one", "two", "three"]) {
      await using server = httpServer(() => new Response(name), { port });
      port = server.port;
      expect(await (await fetch(server.url, post)).text()).toBe(name);
    }
  });

  test("are closed when the fetch is let go of", async () => {
    const closed = Promise.withResolvers<void>();
    using server = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: { data: (socket) => void socket.write(answer), close: () => closed.resolve() },
    });
    {
      using fetch = fetchOf();
      await (await fetch(`http://127.0.0.1:${server.port}/mcp`, post)).text();
    }
    await closed.promise;
  });

  test("two servers of one origin share none", async () => {
    using server = rawServer((socket) => void socket.write(answer));
    using one = fetchOf();
    using two = fetchOf();
    for (const fetch of [one, two]) await (await fetch(server.url, post)).text();
    expect(server.connections()).toBe(2);
  });
});

test("many at once are each answered with their own", async () => {
  await using server = httpServer(async (request) => new Response(await request.text()));
  using fetch = fetchOf();
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, n) => {
      const response = await fetch(server.url, { method: "POST", body: String(n) });
      return Number(await response.text());
    }),
  );
  expect(answers).toEqual(Array.from({ length: 1000 }, (_, n) => n));
});
