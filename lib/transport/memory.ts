/**
 * Two linked transports in one process: what one sends the other receives, as text and parsed again, so that nothing is
 * shared. For servers inside the host and for tests.
 */
import { HostError } from "../base/errors.ts";
import type { CloseInfo, Incoming, Transport } from "./transport.ts";

/** Closing either one closes both: `local` where it was done, `eof` on the other side. */
export function memoryPair(): [Transport, Transport] {
  const one = end();
  const two = end();
  return [facing(one, two), facing(two, one)];
}

// --- internal ---

interface End {
  queue: Incoming[];
  /** Wakes the reader. */
  wake: (() => void) | undefined;
  closed: PromiseWithResolvers<CloseInfo>;
  isClosed: boolean;
}

function end(): End {
  return { queue: [], wake: undefined, closed: Promise.withResolvers(), isClosed: false };
}

function facing(own: End, other: End): Transport {
  return {
    async send(message) {
      if (own.isClosed) throw new HostError("server_exit", "the link in memory is closed");
      const text = JSON.stringify(message);
      other.queue.push({ message: JSON.parse(text), text });
      other.wake?.();
    },
    incoming: received(own),
    closed: own.closed.promise,
    facts: () => ({}),
    async [Symbol.asyncDispose]() {
      close(own, "local");
      close(other, "eof");
    },
  };
}

async function* received(own: End): AsyncGenerator<Incoming> {
  while (true) {
    const item = own.queue.shift();
    if (item !== undefined) yield item;
    else if (own.isClosed) return;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      own.wake = resolve;
      await promise;
    }
  }
}

function close(own: End, kind: CloseInfo["kind"]): void {
  if (own.isClosed) return;
  own.isClosed = true;
  own.closed.resolve({ kind });
  own.wake?.();
}
