/** MCP over a WebSocket: how it is opened, every kind of frame, how it ends, and a far side that is gone without a word. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import type { Incoming, Transport } from "../../lib/transport/transport.ts";
import type { WebSocketOptions } from "../../lib/transport/ws-connect.ts";
import { openWebSocket } from "../../lib/transport/ws.ts";
import { version } from "../../package.json";
import { serveRemote } from "../fixtures/remote/server.ts";
import { waitFor } from "../processes.ts";

interface Opened extends AsyncDisposable {
  transport: Transport;
  logs: LogEntry[];
}

async function open(url: string, more: Partial<WebSocketOptions> = {}): Promise<Opened> {
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const transport = await openWebSocket({ name: "srv", url, log, ...more });
  return { transport, logs, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

async function failure(url: string, more: Partial<WebSocketOptions> = {}): Promise<HostError> {
  const error: unknown = await open(url, more).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HostError);
  const { message, facts, hint, cause } = error as HostError;
  expect(JSON.stringify([message, facts, hint, String(cause)])).not.toMatch(/s3cr3t/);
  return error as HostError;
}

/** Opcodes (RFC 6455, 5.2). */
const text = 1;
const binary = 2;
const goesOn = 0;
const ping = 9;
const pong = 10;
const close = 8;

interface Raw extends AsyncDisposable {
  url: string;
  /** Frames of the client: opcode and payload. */
  frames: { opcode: number; payload: string }[];
  /** Writes to the newest connection. */
  write(bytes: Uint8Array): void;
  end(): void;
}

/** A server that says the bytes it is told to, and answers nothing by itself but the upgrade and (unless it is deaf) a close. */
function raw(protocol = "mcp", isDeaf = false, onOpen?: (socket: Bun.Socket) => void): Raw {
  const frames: Raw["frames"] = [];
  let newest: Bun.Socket | undefined;
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        const key = /sec-websocket-key: (.*)\r\n/i.exec(bytes.toString("latin1"))?.[1];
        if (key === undefined && bytes.length > 1000) return;
        if (key === undefined) {
          const came = framesOf(bytes);
          frames.push(...came);
          if (!isDeaf && came.some(({ opcode }) => opcode === close)) socket.end(frame(close, ""));
          return;
        }
        newest = socket;
        const accept = new Bun.CryptoHasher("sha1")
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest("base64");
        const subprotocol = protocol === "" ? "" : `sec-websocket-protocol: ${protocol}\r\n`;
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n${subprotocol}\r\n`,
        );
        onOpen?.(socket);
      },
    },
  });
  return {
    url: `ws://127.0.0.1:${listener.port}/mcp?key=s3cr3t`,
    frames,
    write: (bytes) => void newest?.write(bytes),
    end: () => newest?.end(),
    [Symbol.asyncDispose]: async () => listener.stop(true),
  };
}

/** Whole, small, masked frames. */
function framesOf(bytes: Buffer): Raw["frames"] {
  const found: Raw["frames"] = [];
  for (let at = 0; at + 6 <= bytes.length;) {
    const length = bytes[at + 1]! & 0x7f;
    const mask = bytes.subarray(at + 2, at + 6);
    const payload = bytes
      .subarray(at + 6, at + 6 + length)
      .map((byte, index) => byte ^ mask[index % 4]!);
    found.push({ opcode: bytes[at]! & 15, payload: Buffer.from(payload).toString("latin1") });
    at += 6 + length;
  }
  return found;
}

function frame(opcode: number, data: string | Uint8Array, isLast = true): Buffer {
  const payload = Buffer.from(data as string);
  const first = (isLast ? 0x80 : 0) | opcode;
  const head =
    payload.length < 126
      ? [first, payload.length]
      : [first, 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from(head), payload]);
}

const request = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list", params: {} }) as const;
const answer = (id: number, result: JsonObject | string = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, result });

async function next(transport: Transport): Promise<Incoming> {
  const { value, done } = await transport.incoming[Symbol.asyncIterator]().next();
  expect(done).not.toBe(true);
  return value;
}

describe("opening", () => {
  test("asks for the subprotocol mcp, with the configured headers, and offers no compression", async () => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url, {
      headers: { authorization: "Bearer t", "x-a": "b" },
    });
    expect(link.transport).toBeDefined();
    const { headers } = server.requests[0]!;
    expect(headers).toMatchObject({
      "sec-websocket-protocol": "mcp",
      authorization: "Bearer t",
      "x-a": "b",
    });
    expect(headers["sec-websocket-extensions"]).toBeUndefined();
  });

  test.each([
    [undefined, `mcphost/${version}`],
    [{ "User-AGENT": "me/1" }, "me/1"],
  ])("says who asks, as configured: %j", async (headers, agent) => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url, headers && { headers });
    expect(link.transport).toBeDefined();
    expect(server.requests[0]!.headers["user-agent"]).toBe(agent);
  });

  test.each([
    ["me:p%40ss", "me:p@ss"],
    ["me:100%", "me:100%"],
    [":key", ":key"],
  ])("user and password of the URL become a header: %s", async (written, sent) => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url.replace("//", `//${written}@`));
    expect(link.transport).toBeDefined();
    expect(server.requests[0]!.headers["authorization"]).toBe(`Basic ${btoa(sent)}`);
  });

  test.each([
    ["none", "", "Missing client protocol"],
    ["another", "other", "Mismatch client protocol"],
  ])("a server that names %s as the subprotocol speaks no MCP", async (_name, said, reason) => {
    await using server = raw(said);
    expect(await failure(server.url)).toMatchObject({
      code: "server_start",
      message: `server "srv" gave no WebSocket: ${reason}`,
    });
  });

  test.each([302, 400, 401, 403, 404, 426, 500])("refused with %d", async (status) => {
    await using server = await serveRemote({
      transport: "ws",
      intercept: () => new Response("no", { status, headers: { location: "/elsewhere" } }),
    });
    const { code, message, facts } = await failure(`${server.url}?key=s3cr3t`);
    expect(code).toBe(status === 401 || status === 403 ? "auth_required" : "server_start");
    expect(message).toContain(String(status));
    expect(facts).toMatchObject({ httpStatus: status, sent: false });
  });

  test("B019: nothing listens there, and no such host", async () => {
    const server = await serveRemote({ transport: "ws" });
    await server[Symbol.asyncDispose]();
    expect(await failure(server.url)).toMatchObject({
      code: "server_exit",
      facts: { errno: "ECONNREFUSED", sent: false },
    });
    expect(await failure("ws://no-such-host.invalid/?key=s3cr3t")).toMatchObject({
      code: "server_exit",
      facts: { sent: false, host: "no-such-host.invalid" },
    });
  });

  test.each(["http://127.0.0.1/", "not a url"])("no URL of a WebSocket: %s", async (url) => {
    expect((await failure(url)).code).toBe("config");
  });

  test("a header that cannot be sent", async () => {
    const headers = { "x-a": "one\ntwo" };
    expect((await failure("ws://127.0.0.1:1/", { headers })).code).toBe("config");
  });

  test("no answer within the time; given up", async () => {
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const url = `ws://127.0.0.1:${listener.port}/`;
    expect(await failure(url, { startTimeoutMs: 50 })).toMatchObject({
      code: "server_start",
      facts: { timeoutMs: 50, sent: false },
    });
    const abort = new AbortController();
    const opening = failure(url, { signal: abort.signal });
    abort.abort();
    expect((await opening).code).toBe("cancelled");
    expect((await failure(url, { signal: abort.signal })).code).toBe("cancelled");
    listener.stop(true);
  });

  test("the connection ends instead of an answer, and no HTTP", async () => {
    for (const said of ["", "SSH-2.0-OpenSSH\r\n"]) {
      const listener = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data: (socket) => void socket.end(said) },
      });
      const { code, facts } = await failure(`ws://127.0.0.1:${listener.port}/`);
      expect(["server_start", "server_exit"]).toContain(code);
      expect(facts.sent).toBe(false);
      listener.stop(true);
    }
  });
});

const pem = (name: string) =>
  Bun.file(new URL(`../fixtures/tls/${name}.pem`, import.meta.url)).text();
const local = (url: string) => url.replace("127.0.0.1", "localhost");

const serve = async (name: string) =>
  await serveRemote({
    transport: "ws",
    tls: { cert: await pem(name), key: await pem(`${name}.key`) },
  });

describe("TLS", () => {
  test("an authority of its own, or any certificate with a warning", async () => {
    await using server = await serve("server");
    await using trusted = await open(local(server.url), { tls: { ca: await pem("ca") } });
    expect(trusted.logs).toEqual([]);
    await using insecure = await open(local(server.url), { tls: { insecure: true } });
    expect(insecure.logs).toMatchObject([{ level: "warn", server: "srv" }]);
    expect(insecure.logs[0]!.text).toContain("not checked");
  });

  test.each([
    ["self-signed", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["expired", "CERT_HAS_EXPIRED"],
    ["wrong-name", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("B050: %s is refused, with the code", async (name, code) => {
    await using server = await serve(name);
    const error = await failure(`${local(server.url)}?key=s3cr3t`, {
      tls: { ca: await pem("ca") },
    });
    expect(error.facts).toMatchObject({ errno: code, sent: false });
    expect(error.hint).toBeDefined();
  });

  test("B050: TLS where none is spoken", async () => {
    await using server = await serveRemote({ transport: "ws" });
    const error = await failure(`${server.url.replace("ws:", "wss:")}?key=s3cr3t`);
    expect(error.facts).toMatchObject({ errno: "EPROTO", sent: false });
  });
});

describe("frames", () => {
  test("text, with its exact text", async () => {
    await using server = raw();
    await using link = await open(server.url);
    server.write(frame(text, '{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}'));
    expect(await next(link.transport)).toEqual({
      message: { jsonrpc: "2.0", id: 1, result: { n: 1 } },
      text: '{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}',
    });
  });

  test("binary ones are read as UTF-8; with a BOM or a line end too", async () => {
    await using server = raw();
    await using link = await open(server.url);
    server.write(frame(binary, answer(1, "é€😀")));
    server.write(frame(binary, `\uFEFF${answer(2)}\r\n`));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { result: "é€😀" } });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("fragments, cut within a character, with a ping between them", async () => {
    await using server = raw();
    await using link = await open(server.url);
    const bytes = Buffer.from(answer(1, "é€😀"));
    const cut = bytes.indexOf(0xc3) + 1;
    server.write(frame(text, bytes.subarray(0, cut), false));
    server.write(frame(ping, "p"));
    server.write(frame(goesOn, bytes.subarray(cut, cut + 3), false));
    server.write(frame(goesOn, bytes.subarray(cut + 3)));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { result: "é€😀" } });
    await waitFor(() => server.frames.some(({ opcode }) => opcode === pong), "the pong");
    expect(server.frames).toContainEqual({ opcode: pong, payload: "p" });
  });

  test("many in one chunk, a batch, and several lines in one", async () => {
    await using server = raw();
    await using link = await open(server.url);
    server.write(Buffer.concat([1, 2, 3].map((id) => frame(text, answer(id)))));
    server.write(frame(text, `[${answer(4)},${answer(5)}]`));
    server.write(frame(text, `${answer(6)}\r\n\n${answer(7)}\n`));
    for (const id of [1, 2, 3, 4, 5, 6, 7])
      expect((await next(link.transport)) as unknown).toMatchObject({ message: { id } });
  });

  test("what is no message is told and harmless; a broken answer fails its request", async () => {
    await using server = raw();
    await using link = await open(server.url);
    for (const noise of ["hello", "", "{}", '{"type":"heartbeat"}', "7"])
      server.write(frame(text, noise));
    server.write(frame(text, '{"jsonrpc":"2.0","id":7,"result":{'));
    server.write(frame(text, answer(8)));
    expect((await next(link.transport)) as unknown).toMatchObject({ oversize: { id: 7 } });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 8 } });
    const said = link.logs.map(({ text: line }) => line);
    expect(said).toContain("its WebSocket message is no message (not JSON): hello");
    expect(said.some((line) => line.includes("heartbeat"))).toBe(true);
  });

  test.each([
    ["text", text],
    ["binary", binary],
  ])("one beyond the bound (%s) fails its request, and the next comes", async (_name, opcode) => {
    await using server = raw();
    await using link = await open(server.url, { messageBytesMax: 1000 });
    server.write(frame(opcode, answer(1, "x".repeat(6000))));
    server.write(frame(opcode, answer(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({
      oversize: { id: 1, bytesMax: 1000 },
    });
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("ours are text, one message each", async () => {
    await using server = raw();
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => server.frames.length === 1, "the frame");
    expect(server.frames).toEqual([{ opcode: text, payload: JSON.stringify(request(1)) }]);
  });

  test.each([
    ["no UTF-8", frame(text, new Uint8Array([0xff, 0xfe]))],
    ["an unknown opcode", frame(3, "x")],
    ["a reserved bit", Buffer.from([0xc1, 1, 65])],
    ["a mask", Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])],
    ["a close code that is none", frame(close, new Uint8Array([3, 0xe7]))],
  ])("%s ends the link, and says why", async (_name, bytes) => {
    await using server = raw();
    await using link = await open(server.url);
    server.write(bytes);
    const info = await link.transport.closed;
    expect(info).toMatchObject({ kind: "error", closeCode: 1006 });
    expect(info.how).toMatch(/^lost its WebSocket: .../);
    expect(info.how).not.toContain("s3cr3t");
  });
});

describe("the end", () => {
  test.each([
    [1000, "", "closed its WebSocket with code 1000"],
    [1001, "", "closed its WebSocket with code 1001"],
    [1008, "no\ttoken", 'closed its WebSocket with code 1008 ("no\\ttoken")'],
    [1011, "", "closed its WebSocket with code 1011"],
    [4001, "go away", 'closed its WebSocket with code 4001 ("go away")'],
  ])("code %d is a fact of what waits", async (closeCode, reason, how) => {
    await using server = raw();
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const asked = peer.request("tools/call", {}, { timeoutMs: 10_000 });
    await waitFor(() => server.frames.length === 1, "the request");
    server.write(
      frame(
        close,
        Buffer.concat([Buffer.from([closeCode >> 8, closeCode & 255]), Buffer.from(reason)]),
      ),
    );
    const error = (await asked.catch((caught: unknown) => caught)) as HostError;
    expect(error.code).toBe("server_exit");
    expect(error.message).toBe(`server "srv" ${how} while it was answering tools/call`);
    expect(error.facts).toMatchObject({ closeCode, sent: true });
    expect(await link.transport.closed).toEqual({ kind: "eof", closeCode, how });
  });

  test("a close without a code, and none at all", async () => {
    await using server = raw();
    await using orderly = await open(server.url);
    server.write(frame(close, ""));
    expect(await orderly.transport.closed).toMatchObject({ kind: "eof", closeCode: 1005 });
    await using cut = await open(server.url);
    server.write(Buffer.from([0x81, 10, 65]));
    server.end();
    expect(await cut.transport.closed).toEqual({
      kind: "error",
      closeCode: 1006,
      how: "lost its WebSocket",
    });
  });

  test("we close: with 1000, though the far side does not answer it", async () => {
    await using server = raw("mcp", true);
    const link = await open(server.url);
    await link[Symbol.asyncDispose]();
    expect(await link.transport.closed).toEqual({ kind: "local" });
    await waitFor(() => server.frames.length === 1, "the frame");
    const [{ opcode, payload }] = server.frames as [{ opcode: number; payload: string }];
    expect([opcode, Buffer.from(payload, "latin1").readUInt16BE()]).toEqual([close, 1000]);
    const sending = link.transport.send(request(1))?.catch((error: unknown) => error);
    expect(((await sending) as HostError).facts.sent).toBe(false);
  });

  test("a far side that is gone without a word is noticed", async () => {
    await using server = raw();
    await using link = await open(server.url, { pingMs: 20 });
    const { kind, how } = await link.transport.closed;
    expect(kind).toBe("error");
    expect(how).toBe("lost its WebSocket: no answer to 2 pings in 40 ms");
    expect(server.frames.filter(({ opcode }) => opcode === ping).length).toBeGreaterThan(0);
  });

  test("a quiet one that answers pings is not", async () => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url, { pingMs: 10 });
    let isClosed = false;
    void link.transport.closed.then(() => (isClosed = true));
    await Bun.sleep(200);
    expect(isClosed).toBe(false);
  });
});

describe("backpressure", () => {
  test("it is not read faster than its messages are taken, and nothing is lost", async () => {
    await using server = raw();
    await using link = await open(server.url, { pingMs: 20 });
    const count = 2000;
    let written = 0;
    const body = "x".repeat(10_000);
    const flood = setInterval(() => {
      for (let burst = 0; burst < 50 && written < count; burst++)
        server.write(frame(text, answer(++written, body)));
    }, 1);
    await waitFor(() => written === count, "the flood");
    clearInterval(flood);
    const waiting = link.transport.incoming as unknown as { size: number };
    let before = -1;
    await waitFor(async () => {
      const isStill = waiting.size === before;
      before = waiting.size;
      await Bun.sleep(50);
      return isStill;
    }, "what is read ahead to stay the same");
    expect(waiting.size).toBeLessThan(count);
    let taken = 0;
    for await (const item of link.transport.incoming) {
      taken++;
      expect("message" in item && "id" in item.message && item.message.id).toBe(taken);
      if (taken === count) break;
    }
  });

  test("a message waits until the far side takes it", async () => {
    let far: Bun.Socket | undefined;
    await using server = raw("mcp", true, (socket) => {
      far = socket;
      socket.pause();
    });
    await using link = await open(server.url);
    let isOut = false;
    const large = "x".repeat(20 * 1024 * 1024);
    const sending = link.transport
      .send({ ...request(1), params: { large } })
      ?.then(() => (isOut = true));
    await Bun.sleep(100);
    expect(isOut).toBe(false);
    far!.resume();
    await sending;
  });
});

test.each(["legacy", "modern"] as const)(
  "a whole server, %s: calls beside each other",
  async (era) => {
    await using server = await serveRemote({ transport: "ws", era });
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const _meta: JsonObject =
      era === "legacy"
        ? {}
        : {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          };
    const ask = async (method: string, params: JsonObject) =>
      (await peer.request(method, { ...params, _meta }, { timeoutMs: 10_000 })).response.result;
    if (era === "legacy")
      await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    const calls = Array.from({ length: 100 }, (_, a) =>
      ask("tools/call", { name: "add", arguments: { a, b: 1 } }),
    );
    const texts = (await Promise.all(calls)).map(
      (sum) => (sum as { content: { text: string }[] }).content[0]!.text,
    );
    expect(texts).toEqual(Array.from({ length: 100 }, (_, a) => String(a + 1)));
    server.cutStreams();
    expect(await link.transport.closed).toMatchObject({ kind: "error", closeCode: 1006 });
  },
);
