/**
 * MCP over a WebSocket: one message a text or binary frame, over Bun's own client. It notices a far side that is gone
 * without a word, and reads no faster than its messages are taken. No revision of the specification has this transport;
 * the subprotocol is `mcp`, as the official SDKs have it.
 */
import { sleep } from "../base/async.ts";
import { Channel } from "../base/channel.ts";
import { HostError } from "../base/errors.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { glimpse, oversize } from "./broken.ts";
import type { CloseInfo, Incoming, Transport } from "./transport.ts";
import { textReader } from "./whole-text.ts";
import type { TextReader } from "./whole-text.ts";
import { reasonOf, startSocket, whenOpen } from "./ws-connect.ts";
import type { WebSocketOptions } from "./ws-connect.ts";

/**
 * Connects.
 * @throws HostError `server_start` (refused, with `facts.httpStatus`), `server_exit` (not reached), `config`,
 *   `cancelled`
 */
export async function openWebSocket(options: WebSocketOptions): Promise<Transport> {
  const socket = startSocket(options);
  const transport = new SocketTransport(options, socket);
  try {
    await whenOpen(socket, options);
    return transport;
  } catch (error) {
    await transport[Symbol.asyncDispose]();
    throw error;
  }
}

// --- internal ---

/** Bytes that may wait to be sent before the next message has to. */
const unsentBytesMax = 1024 * 1024;
/** How long we wait for the far side's part of an orderly close. */
const closeMs = 500;
/** Pings without an answer that mean that nobody is there. */
const pingsMax = 2;
/** How much of a message that is too large is looked at, at each end. */
const edgeMax = 4096;

class SocketTransport implements Transport {
  readonly incoming = new Channel<Incoming>();
  readonly closed: Promise<CloseInfo>;
  readonly #socket: WebSocket;
  readonly #name: string;
  readonly #bytesMax: number;
  readonly #read: TextReader;
  readonly #ending = Promise.withResolvers<CloseInfo>();
  readonly #pulse: Timer;
  /** Pings since anything was heard. Counted, not timed: after a standstill of ours, time alone proves nothing. */
  #pings = 0;
  /** Known before the link is down: whose doing it is. */
  #info: CloseInfo | undefined;

  constructor(options: WebSocketOptions, socket: WebSocket) {
    const { name, log, messageBytesMax = 67_108_864, pingMs = 30_000 } = options;
    this.#socket = socket;
    this.#name = name;
    this.#bytesMax = messageBytesMax;
    this.#read = textReader({ name, log, unit: "WebSocket message", bytesMax: messageBytesMax });
    this.closed = this.#ending.promise;
    this.#pulse = setInterval(() => this.#beat(pingMs), pingMs).unref();
    socket.addEventListener("message", ({ data }) => this.#take(data as string | Buffer));
    socket.addEventListener("ping", () => this.#hear());
    socket.addEventListener("pong", () => this.#hear());
    socket.addEventListener("error", ({ message }) => this.#lose(reasonOf(message)));
    socket.addEventListener("close", (event) => this.#closed(event));
  }

  async send(message: Message): Promise<void> {
    const socket = this.#socket;
    if (this.#info !== undefined || socket.readyState !== WebSocket.OPEN)
      throw new HostError("server_exit", `the link to server "${this.#name}" is closed`, {
        facts: { server: this.#name, sent: false },
      });
    socket.send(JSON.stringify(message));
    // Bun does not tell when there is room again.
    for (let ms = 1; this.#isFull; ms = Math.min(ms * 2, 50)) await sleep(ms);
  }

  facts(): Pick<CloseInfo, "stderr" | "noise"> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#info ??= { kind: "local" };
    // What waits is not wanted any more, and a link that is not read would not hear that it was closed.
    this.incoming.end();
    this.#socket.resume();
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), closeMs);
    await this.closed;
    clearTimeout(timer);
  }

  get #isFull(): boolean {
    const { readyState, bufferedAmount } = this.#socket;
    return readyState === WebSocket.OPEN && bufferedAmount > unsentBytesMax;
  }

  #hear(): void {
    this.#pings = 0;
  }

  #take(data: string | Buffer): void {
    this.#hear();
    let room: Promise<void> | undefined;
    for (const item of this.#itemsOf(data)) room = this.incoming.push(item) ?? room;
    if (room === undefined || this.#socket.isPaused) return;
    this.#socket.pause();
    void room.then(() => {
      this.#hear();
      return this.#socket.resume();
    });
  }

  #itemsOf(data: string | Buffer): Incoming[] {
    const bytes = typeof data === "string" ? Buffer.byteLength(data) : data.length;
    if (bytes <= this.#bytesMax)
      return this.#read(typeof data === "string" ? data : data.toString());
    const { id, call } = glimpse(
      data.slice(0, edgeMax).toString(),
      data.slice(-edgeMax).toString(),
    );
    return [oversize({ bytes, bytesMax: this.#bytesMax, id, call })];
  }

  /** A far side that vanished answers no ping; nothing else would tell. */
  #beat(pingMs: number): void {
    if (this.#socket.readyState !== WebSocket.OPEN || this.#socket.isPaused) return;
    if (this.#pings === pingsMax)
      this.#lose(`no answer to ${pingsMax} pings in ${pingsMax * pingMs} ms`);
    else {
      this.#pings++;
      this.#socket.ping();
    }
  }

  #lose(reason: string): void {
    const how = `lost its WebSocket: ${reason}`;
    this.#info ??= { kind: "error", how, error: new Error(reason) };
    this.#socket.terminate();
  }

  #closed({ code, reason, wasClean }: CloseEvent): void {
    clearInterval(this.#pulse);
    const said = reason === "" ? "" : ` (${JSON.stringify(reason)})`;
    this.#info ??= wasClean
      ? { kind: "eof", how: `closed its WebSocket with code ${code}${said}` }
      : { kind: "error", how: "lost its WebSocket" };
    this.incoming.end();
    this.#ending.resolve({
      ...this.#info,
      ...(this.#info.kind !== "local" && { closeCode: code }),
    });
  }
}
