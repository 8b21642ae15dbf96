/** A peer in front of a scripted far side, over memory; for the tests of this folder. */
import type { LogEntry } from "../../lib/base/log.ts";
import { isRequest } from "../../lib/protocol/jsonrpc.ts";
import type { Message, Request } from "../../lib/protocol/jsonrpc.ts";
import { memoryPair } from "../../lib/transport/memory.ts";
import type { Peer, PeerOptions } from "../../lib/transport/peer-types.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import type { CloseInfo, Incoming, Transport } from "../../lib/transport/transport.ts";

export interface FarSide extends AsyncDisposable {
  peer: Peer;
  /** What the peer sent so far. */
  got: Message[];
  logs: LogEntry[];
  /** Sends a message, in order or not. */
  say(message: object): Promise<void>;
  /** Resolves with the first message that fits, past or future. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  /** Resolves once a log entry holds this text. */
  logged(text: string): Promise<LogEntry>;
  /** Resolves when everything said before was taken. */
  settled(): Promise<void>;
  /** Ends the link the way a process does. */
  end(): Promise<void>;
}

export interface FarSideOptions extends Partial<PeerOptions> {
  /** Called for each request of the peer; what it returns is sent. */
  script?: (request: Request) => object | undefined;
  /** How the link ends, as the transport tells it. */
  closeInfo?: CloseInfo;
  facts?: Pick<CloseInfo, "stderr" | "noise">;
  /** Replaces `send`. */
  send?: (message: Message) => Promise<void>;
}

export function farSide(options: FarSideOptions = {}): FarSide {
  const { script, closeInfo, facts, send, ...peerOptions } = options;
  const [near, far] = memoryPair();
  const logs = new Heard<LogEntry>();
  const got = new Heard<Message>();
  const transport: Transport = {
    send: send ?? ((message) => near.send(message)),
    incoming: near.incoming,
    closed: near.closed.then((info) => closeInfo ?? info),
    facts: () => facts ?? {},
    [Symbol.asyncDispose]: () => near[Symbol.asyncDispose](),
  };
  const peer = createPeer(transport, {
    name: "srv",
    log: (entry) => logs.add(entry),
    ...peerOptions,
  });
  const say = async (message: object) => await far.send({ jsonrpc: "2.0", ...message } as Message);
  void listen(far.incoming, async (message) => {
    got.add(message);
    const answer = isRequest(message) ? script?.(message) : undefined;
    if (answer) await say({ id: (message as Request).id, ...answer });
  });
  return {
    peer,
    got: got.all,
    logs: logs.all,
    say,
    until: (fits) => got.until(fits),
    logged: (text) => logs.until((entry) => entry.text.includes(text)),
    async settled() {
      const id = crypto.randomUUID();
      await say({ id, method: "mark" });
      await got.until((message) => "id" in message && message.id === id);
    },
    end: async () => await far[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => await peer[Symbol.asyncDispose](),
  };
}

/** Time enough for what is answered at all. */
export const minute = { timeoutMs: 60_000 };

interface Failure extends Error {
  code: string | number;
  hint?: string;
  data?: unknown;
}

/** What a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return error as Failure;
  }
  throw new Error("it was not rejected");
}

// --- internal ---

async function listen(
  incoming: AsyncIterable<Incoming>,
  take: (message: Message) => Promise<void>,
): Promise<void> {
  for await (const item of incoming) if ("message" in item) await take(item.message);
}

/** What was heard, and who waits to hear something. */
class Heard<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();

  add(item: T): void {
    this.all.push(item);
    for (const look of this.#waiting) look();
  }

  until(fits: (item: T) => boolean): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const look = () => {
      const found = this.all.find(fits);
      if (found === undefined) return;
      this.#waiting.delete(look);
      resolve(found);
    };
    this.#waiting.add(look);
    look();
    return promise;
  }
}
