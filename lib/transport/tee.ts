/** Shows every message of a transport to somebody and changes none: for the `message` hook, recording, and tests. */
import type { Feed } from "../base/channel.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import type { Incoming, Transport } from "./transport.ts";

/** One message on its way. */
export type Frame = { direction: "out"; message: Message } | { direction: "in"; item: Incoming };

/** The same transport, seen. `onFrame` is called before a message goes on; what it throws changes nothing. */
export function tee(transport: Transport, onFrame: (frame: Frame) => void): Transport {
  const show = (frame: Frame): void => {
    try {
      onFrame(frame);
    } catch {
      // Who only looks on must not be able to stop a message.
    }
  };
  return {
    send(message, options) {
      show({ direction: "out", message });
      return transport.send(message, options);
    },
    incoming: seen(transport.incoming, show),
    closed: transport.closed,
    ...(transport.abandon && { abandon: transport.abandon.bind(transport) }),
    ...(transport.keepSession && { keepSession: transport.keepSession.bind(transport) }),
    get idsFrom() {
      return transport.idsFrom ?? 0;
    },
    facts: () => transport.facts(),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

// --- internal ---

function seen(incoming: Feed<Incoming>, show: (frame: Frame) => void): Feed<Incoming> {
  return {
    each: (take) =>
      incoming.each((item) => {
        show({ direction: "in", item });
        return take(item);
      }),
    async *[Symbol.asyncIterator]() {
      for await (const item of incoming) {
        show({ direction: "in", item });
        yield item;
      }
    },
  };
}
