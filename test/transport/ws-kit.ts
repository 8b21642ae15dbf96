/** What the tests of the WebSocket share: a server that says the bytes it is told to, frames, and a link. */
import { expect } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import type { WebSocketOptions } from "../../lib/transport/ws-connect.ts";
import { openWebSocket } from "../../lib/transport/ws.ts";

interface Opened extends AsyncDisposable {
  transport: Transport;
  logs: LogEntry[];
}

/** A link to the server `srv`, with what it logged. */
export async function open(url: string, more: Partial<WebSocketOptions> = {}): Promise<Opened> {
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const transport = await openWebSocket({ name: "srv", url, log, ...more });
  return { transport, logs, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

/** What the opening fails with; it tells no secret. */
export async function failure(
  url: string,
  more: Partial<WebSocketOptions> = {},
): Promise<HostError> {
  const error: unknown = await open(url, more).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HostError);
  const { message, facts, hint, cause } = error as HostError;
  expect(JSON.stringify([message, facts, hint, String(cause)])).not.toMatch(/s3cr3t/);
  return error as HostError;
}

/** The opcode of text (RFC 6455, 5.2). */
export const text = 1;

/** The opcode of a ping. */
export const ping = 9;

/** The opcode of a close. */
export const close = 8;

interface Raw extends AsyncDisposable {
  url: string;
  /** Frames of the client: opcode and payload. */
  frames: { opcode: number; payload: string }[];
  /** Writes to the newest connection. */
  write(bytes: Uint8Array): void;
  end(): void;
}

/** A server that says the bytes it is told to, and answers nothing by itself but the upgrade and (unless it is deaf) a close. */
export function raw(protocol = "mcp", isDeaf = false, onOpen?: (socket: Bun.Socket) => void): Raw {
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

/** A frame as a server sends it: unmasked. */
export function frame(opcode: number, data: string | Uint8Array, isLast = true): Buffer {
  const payload = Buffer.from(data as string);
  const first = (isLast ? 0x80 : 0) | opcode;
  const head =
    payload.length < 126
      ? [first, payload.length]
      : [first, 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from(head), payload]);
}

/** A request as a client sends it. */
export const request = (id: number) =>
  ({ jsonrpc: "2.0", id, method: "tools/list", params: {} }) as const;

/** An answer as it is written. */
export const answer = (id: number, result: JsonObject | string = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, result });
