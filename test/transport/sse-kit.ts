/** What the tests of HTTP+SSE share: a server that says exactly what it is told to, and a link to it. */
import { expect } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import { createFetch } from "../../lib/transport/fetch.ts";
import { openSse } from "../../lib/transport/sse.ts";
import type { SseOptions } from "../../lib/transport/sse.ts";
import type { Incoming, Transport } from "../../lib/transport/transport.ts";

type Posted = { url: string; headers: Headers; body: string };

interface Scripted extends AsyncDisposable {
  url: string;
  posts: Posted[];
  /** Writes on the newest stream, or on the first as soon as there is one. */
  write(text: string | Uint8Array): void;
  end(): void;
  /** How many streams the client let go. */
  cancelled: number;
}

/** What the server says where it is not as usual. */
export interface Script {
  /** In place of the stream. */
  get?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** @default 202 */
  post?: (request: Request) => Response | Promise<Response>;
  /** @default the endpoint event for /messages */
  first?: string;
  contentType?: string;
}

/** A server that says exactly what it is told to. */
export function scripted(script: Script = {}): Scripted {
  const { first = "event: endpoint\ndata: /messages?id=1\n\n" } = script;
  const encoder = new TextEncoder();
  type Stream = ReadableStreamDefaultController<Uint8Array>;
  let stream: Stream | undefined;
  const early: ((opened: Stream) => void)[] = [];
  const onStream = (work: (opened: Stream) => void) =>
    stream === undefined ? void early.push(work) : work(stream);
  const posts: Posted[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method === "POST") {
      const { url, headers } = request;
      posts.push({ url, headers, body: await request.clone().text() });
      return (await script.post?.(request)) ?? new Response("Accepted", { status: 202 });
    }
    const other = await script.get?.(request);
    if (other !== undefined) return other;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
        controller.enqueue(encoder.encode(first === "" ? ":\n\n" : first));
        for (const work of early.splice(0)) work(controller);
      },
      cancel: () => void result.cancelled++,
    });
    const { contentType = "text/event-stream" } = script;
    return new Response(body, { headers: { "content-type": contentType } });
  };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch });
  const result: Scripted = {
    url: `http://127.0.0.1:${server.port}/sse?key=s3cr3t`,
    posts,
    cancelled: 0,
    write: (text) =>
      onStream((opened) => opened.enqueue(typeof text === "string" ? encoder.encode(text) : text)),
    end: () => onStream((opened) => opened.close()),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return result;
}

interface Opened extends AsyncDisposable {
  transport: Transport;
  logs: LogEntry[];
}

/** A link to the server `srv`, with what it logged. */
export async function open(url: string, more: Partial<SseOptions> = {}): Promise<Opened> {
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const fetch = createFetch({ name: "srv", log, headers: { authorization: "Bearer t0ken" } });
  const transport = await openSse({ name: "srv", url, fetch, log, ...more });
  return {
    transport,
    logs,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      fetch[Symbol.dispose]();
    },
  };
}

/** What the opening fails with. */
export async function failure(url: string, more: Partial<SseOptions> = {}): Promise<HostError> {
  const error: unknown = await open(url, more).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HostError);
  const { message, facts, hint } = error as HostError;
  expect(JSON.stringify([message, facts, hint])).not.toMatch(/s3cr3t|t0ken/);
  return error as HostError;
}

/** A request as a client sends it. */
export const request = (id: number, method = "tools/list") =>
  ({ jsonrpc: "2.0", id, method, params: {} }) as const;

/** A message as an event. */
export const event = (value: unknown) => `event: message\ndata: ${JSON.stringify(value)}\n\n`;

/** An answer. */
export const result = (id: number, value: unknown = {}) => ({ jsonrpc: "2.0", id, result: value });

/** The next that comes on a link. */
export async function next(transport: Transport): Promise<Incoming> {
  const { value, done } = await transport.incoming[Symbol.asyncIterator]().next();
  expect(done).not.toBe(true);
  return value;
}
