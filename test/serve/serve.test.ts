/** The server itself: where it listens, streams and sockets, and how it ends. */
import { describe, expect, test } from "bun:test";
import { stat, writeFile } from "node:fs/promises";

import { type HostError, isHostError } from "../../lib/base/errors.ts";
import { serve } from "../../lib/serve/serve.ts";
import { clearSocket } from "../../lib/serve/socket-file.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { pem } from "../transport/fetch-kit.ts";
import { type Seen, testFace } from "./faces.ts";
import { type KitOptions, serveOver } from "./kit.ts";

function served(options: KitOptions = {}) {
  const seen: Seen = { asked: [], signals: [] };
  return Object.assign(serveOver({}, { faces: [testFace(seen)], ...options }), { seen });
}

/** The error that something ends in. */
async function errorOf(run: () => unknown): Promise<HostError> {
  try {
    await run();
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error("expected an error");
}

describe("where it listens", () => {
  test("a port that is taken is named, with a way to find its owner", async () => {
    await using it = served();
    const { port } = it.served;
    const error = await errorOf(() => served({ port: port! }));
    expect(error.code).toBe("config");
    expect(error.message).toContain(`port ${port} of 127.0.0.1 is taken`);
    expect(error.hint).toContain(`lsof -i :${port}`);
    expect((await it.ask("/hello")).status).toBe(200);
  });

  test.each(["0.0.0.0", "::", "192.0.2.1", "example.com"])(
    "%s without a token is refused before anything listens",
    async (hostname) => {
      const error = await errorOf(() => served({ hostname }));
      expect([error.code, error.hint]).toEqual([
        "usage",
        "set MCPHOST_TOKEN or give --token-file FILE",
      ]);
    },
  );

  test("with a token, all addresses are fine", async () => {
    await using it = served({ hostname: "0.0.0.0", tokens: [{ name: "me", token: "secret-1" }] });
    const url = `http://127.0.0.1:${it.served.port}/who`;
    expect((await fetch(url)).status).toBe(401);
    const headers = { authorization: "Bearer secret-1" };
    expect((await fetch(url, { headers })).status).toBe(200);
  });

  test("an address that is not ours is an error that names it", async () => {
    const tokens = [{ name: "me", token: "secret-1" }];
    const error = await errorOf(() => served({ hostname: "192.0.2.1", tokens }));
    expect([error.code, error.message]).toEqual([
      "config",
      expect.stringContaining("cannot listen at 192.0.2.1:0"),
    ]);
  });

  test("a socket is for our user alone, and gone with us", async () => {
    await using folder = await tempDir();
    const unix = folder.file("serve.sock");
    {
      await using it = served({ unix });
      expect([it.served.url, it.served.port]).toEqual([`unix:${unix}`, undefined]);
      expect((await stat(unix)).mode & 0o777).toBe(0o600);
      expect(await (await fetch("http://any.example/hello", { unix })).text()).toBe("hello");
      // A page reaches no socket, and what says to be one is none of ours.
      const headers = { origin: "http://any.example" };
      expect((await fetch("http://any.example/hello", { unix, headers })).status).toBe(403);
      expect((await errorOf(() => clearSocket(unix))).message).toContain("is taken");
      expect((await errorOf(() => served({ unix }))).code).toBe("config");
    }
    await expect(stat(unix)).rejects.toThrow();
  });

  test("a socket that a killed process left is taken over; what is no socket is left alone", async () => {
    await using folder = await tempDir();
    const unix = folder.file("serve.sock");
    const program = `Bun.serve({ unix: ${JSON.stringify(unix)}, fetch: () => new Response() }); console.log("up");`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    await child.stdout.getReader().read();
    child.kill("SIGKILL");
    await child.exited;
    await clearSocket(unix);
    await using it = served({ unix });
    expect((await fetch("http://any/hello", { unix })).status).toBe(200);
    const file = folder.file("precious");
    await writeFile(file, "x");
    expect((await errorOf(() => clearSocket(file))).message).toContain("is no socket");
    await clearSocket(folder.file("nothing"));
    expect(it.served.url).toBe(`unix:${unix}`);
  });

  test("TLS, where Origin and address say https", async () => {
    const [cert, key, ca] = await Promise.all([
      pem("server.pem"),
      pem("server.key.pem"),
      pem("ca.pem"),
    ]);
    await using it = served({ tls: { cert, key } });
    expect(it.served.url).toBe(`https://127.0.0.1:${it.served.port}`);
    const ask = (headers: Record<string, string>) =>
      fetch(`${it.served.url}/hello`, { tls: { ca }, headers });
    expect(await (await ask({})).text()).toBe("hello");
    expect((await ask({ origin: it.served.url })).status).toBe(200);
    expect((await ask({ origin: `http://127.0.0.1:${it.served.port}` })).status).toBe(403);
  });

  test("a certificate that is none is said to be it", async () => {
    const key = await pem("server.key.pem");
    const cert = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n";
    const error = await errorOf(() => served({ tls: { cert, key } }));
    expect([error.code, error.message]).toEqual([
      "config",
      expect.stringContaining("the certificate or its key cannot be used"),
    ]);
  });

  test("what there is to ask stands at /", async () => {
    await using it = served();
    const text = await (await it.ask("/")).text();
    expect(text).toContain("GET    /hello\n");
    expect(text).toContain("POST   /echo\n");
  });

  test("two faces for one path are a fault of ours", async () => {
    const seen: Seen = { asked: [], signals: [] };
    const face = testFace(seen);
    expect(() => serveOver({}, { faces: [face, face] })).toThrow("two faces answer GET /hello");
  });
});

describe("streams and sockets", () => {
  test("events come as they are sent, comments keep the way open", async () => {
    await using it = served();
    const reader = (await it.ask("/stream")).body!.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes("keep-alive")) text += decoder.decode((await reader.read()).value);
    expect(text).toStartWith("event: begin\ndata: one\ndata: two\n\n");
    expect(it.served.context.streams.size).toBe(1);
    await reader.cancel();
    await waitFor(() => it.served.context.streams.size === 0);
  });

  test("over the bound is 503, and one that ends makes room", async () => {
    await using it = served({ streamsMax: 2 });
    const [first, second] = await Promise.all([it.ask("/stream"), it.ask("/stream")]);
    const third = await it.ask("/stream");
    expect([third.status, third.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await third.json()).toMatchObject({ error: { code: "busy" } });
    await first.body!.cancel();
    await waitFor(() => it.served.context.streams.size === 1);
    expect((await it.ask("/stream")).status).toBe(200);
    await second.body!.cancel();
  });

  test("600 idle ones, so many that descriptors are above 1,024: none is dropped, and a server starts", async () => {
    const seen: Seen = { asked: [], signals: [] };
    await using it = serveOver({ a: {} }, { faces: [testFace(seen)] });
    await it.served.context.discovery.done;
    const { port } = it.served;
    const ended: unknown[] = [];
    const connect = async () => {
      const handlers = { data() {}, close: (socket: unknown) => void ended.push(socket) };
      const socket = await Bun.connect({ hostname: "127.0.0.1", port: port!, socket: handlers });
      socket.write(`GET /quiet HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: 600 }, connect));
    await waitFor(() => it.served.context.streams.size === 600);
    expect((await it.host.call({ tool: "a_echo", arguments: {} })).status).toBe("completed");
    expect((await it.ask("/hello")).status).toBe(200);
    expect([ended.length, it.served.context.streams.size]).toEqual([0, 600]);
    for (const socket of sockets) socket.terminate();
    await waitFor(() => it.served.context.streams.size === 0);
  });

  test("a WebSocket is guarded, counted and answered", async () => {
    await using it = served({ streamsMax: 1 });
    const socket = new WebSocket(`${it.served.url.replace("http", "ws")}/socket`);
    const said = Promise.withResolvers<string>();
    socket.addEventListener("open", () => socket.send("hi"));
    socket.addEventListener("message", ({ data }) => said.resolve(String(data)));
    expect(await said.promise).toBe("re: hi");
    expect(it.served.context.streams.size).toBe(1);
    expect((await it.ask("/stream")).status).toBe(503);
    const upgrade = {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const evil = await it.ask("/socket", {
      headers: { ...upgrade, origin: "http://evil.example" },
    });
    expect(evil.status).toBe(403);
    socket.close();
    await waitFor(() => it.served.context.streams.size === 0);
    const plain = await it.ask("/socket");
    expect([plain.status, it.served.context.streams.size]).toEqual([426, 0]);
  });

  test("a client that leaves is told to who works for it", async () => {
    await using it = served();
    const scope = new AbortController();
    const asked = it.ask("/hang", { signal: scope.signal });
    await waitFor(() => it.seen.signals.length === 1);
    scope.abort();
    await expect(asked).rejects.toThrow();
    await waitFor(() => it.seen.signals[0]!.aborted);
    expect((await it.ask("/hello")).status).toBe(200);
  });
});

describe("the end", () => {
  test("running requests end, no new ones begin", async () => {
    const release = Promise.withResolvers<Response>();
    let isAsked = false;
    const face = () => [
      {
        method: "GET" as const,
        path: "/slow",
        handle() {
          isAsked = true;
          return release.promise;
        },
      },
    ];
    await using it = serveOver({}, { faces: [face] });
    const { port } = it.served;
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
    const connect = async () => {
      const seen = { said: "", isClosed: false };
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: port!,
        socket: {
          data: (_socket, bytes) => void (seen.said += bytes.toString()),
          close: () => void (seen.isClosed = true),
        },
      });
      return Object.assign(seen, { write: (text: string) => void socket.write(text) });
    };
    const [fresh, used, busy] = await Promise.all([connect(), connect(), connect()]);
    used.write(get("/nothing"));
    await waitFor(() => used.said.includes("not_found"));
    busy.write(get("/slow"));
    await waitFor(() => isAsked);
    const stop = it.served.stop();
    expect(it.served.context.stopping.aborted).toBe(true);
    isAsked = false;
    fresh.write(get("/slow"));
    await waitFor(() => fresh.isClosed && used.isClosed);
    await expect(fetch(`${it.served.url}/slow`)).rejects.toThrow();
    expect([isAsked, busy.isClosed]).toEqual([false, false]);
    release.resolve(new Response("done"));
    await stop;
    await waitFor(() => busy.said.endsWith("done"));
  });

  test("those that do not end are told, within the bound", async () => {
    await using it = served({ graceMs: 100 });
    const told = it.ask("/hang/told");
    const hanging = it.ask("/hang");
    await waitFor(() => it.seen.signals.length === 2);
    await it.served.stop();
    expect(await (await told).text()).toBe("told");
    const answer = await hanging;
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: { code: "cancelled" } },
    ]);
  });

  test("streams end at once, and by themselves", async () => {
    await using it = served({ graceMs: 600_000 });
    const stream = await it.ask("/stream");
    await it.served.stop();
    expect(await stream.text()).toStartWith("event: begin\n");
  });

  test("a second call closes at once", async () => {
    await using it = served({ graceMs: 60_000 });
    const hanging = it.ask("/hang").then(
      (answer) => answer.status,
      () => "closed",
    );
    await waitFor(() => it.seen.signals.length === 1);
    void it.served.stop();
    await it.served.stop();
    await it.served.closed;
    expect([503, "closed"]).toContain(await hanging);
  });

  test("under load each request is answered, refused or cut, and it closes", async () => {
    await using it = serveOver({ a: {} }, { graceMs: 500 });
    await it.served.context.discovery.done;
    const end = new AbortController();
    const results: string[] = [];
    const client = async () => {
      while (!end.signal.aborted)
        results.push(
          await it.ask("/tools", { json: { tool: "a_echo", params: { x: 1 } } }).then(
            async (answer) => `${answer.status} ${(await answer.text()).slice(0, 24)}`,
            () => "closed",
          ),
        );
    };
    const clients = Array.from({ length: 8 }, client);
    await waitFor(() => results.length > 40);
    await it.served.stop();
    end.abort();
    await Promise.all(clients);
    expect(results.filter((result) => result.startsWith("200 ")).length).toBeGreaterThan(40);
    const others = results.filter((result) => !/^(200 |503 |closed)/.test(result));
    expect(others).toEqual([]);
  });
});

test("the host belongs to whoever opened it", async () => {
  await using it = serveOver({ a: {} }, {});
  await it.served.stop();
  expect((await it.host.call({ tool: "a_echo", arguments: {} })).status).toBe("completed");
  expect(serve).toBeFunction();
});
