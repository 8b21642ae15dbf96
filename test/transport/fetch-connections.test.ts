/** The ordinary request: connections are kept, shared and closed, and nothing is sent twice. */
import { describe, expect, test } from "bun:test";

import { errorOf, fetchOf, httpServer, post, rawServer } from "./fetch-kit.ts";

test.each(["127.0.0.1", "::1"])("localhost is found where it listens on %s alone", async (host) => {
  await using server = httpServer(() => new Response("here"), { hostname: host });
  using fetch = fetchOf();
  const response = await fetch(`http://localhost:${server.port}/mcp`, post);
  expect(await response.text()).toBe("here");
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
