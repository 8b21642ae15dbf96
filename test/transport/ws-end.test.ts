/** MCP over a WebSocket: how it ends, and a far side that is gone without a word. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { waitFor } from "../processes.ts";
import { close, frame, open, ping, raw, request } from "./ws-kit.ts";

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
