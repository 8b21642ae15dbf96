/** MCP over a WebSocket: every kind of frame, whole and in fragments, right and wrong. */
import { describe, expect, test } from "bun:test";

import type { Incoming, Transport } from "../../lib/transport/transport.ts";
import { waitFor } from "../processes.ts";
import { answer, close, frame, open, ping, raw, request, text } from "./ws-kit.ts";

const binary = 2;
const goesOn = 0;
const pong = 10;

async function next(transport: Transport): Promise<Incoming> {
  const { value, done } = await transport.incoming[Symbol.asyncIterator]().next();
  expect(done).not.toBe(true);
  return value;
}

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
