/**
 * Two linked transports in one process: what one sends the other receives, as text and parsed again, so that nothing is
 * shared. For servers inside the host and for tests.
 */
import { Channel } from "../base/channel.ts";
import { HostError } from "../base/errors.ts";
import type { CloseInfo, Incoming, Transport } from "./transport.ts";

/** Closing either one closes both: `local` where it was done, `eof` on the other side. What was sent still arrives. */
export function memoryPair(): [Transport, Transport] {
  const one = new End();
  const two = new End();
  return [facing(one, two), facing(two, one)];
}

// --- internal ---

class End {
  readonly incoming = new Channel<Incoming>();
  readonly closed = Promise.withResolvers<CloseInfo>();
  isClosed = false;

  close(kind: CloseInfo["kind"]): void {
    this.isClosed = true;
    this.incoming.end();
    this.closed.resolve({ kind });
  }
}

function facing(own: End, other: End): Transport {
  return {
    async send(message) {
      if (own.isClosed) throw new HostError("server_exit", "the link in memory is closed");
      const text = JSON.stringify(message);
      await other.incoming.push({ message: JSON.parse(text), text });
    },
    incoming: own.incoming,
    closed: own.closed.promise,
    facts: () => ({}),
    async [Symbol.asyncDispose]() {
      own.close("local");
      other.close("eof");
    },
  };
}
