/** What the tests of event streams share: text in chunks, and the events that are read of them. */
import { EventStream } from "../../lib/transport/event-stream.ts";
import type { StreamEvent } from "../../lib/transport/event-types.ts";
import type { Oversize } from "../../lib/transport/transport.ts";

function body(chunks: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
  });
}

/** The events of these chunks. */
export async function read(
  chunks: Iterable<string | Uint8Array>,
  eventBytesMax?: number,
): Promise<(StreamEvent | Oversize)[]> {
  return await Array.fromAsync(new EventStream(body(chunks), { eventBytesMax }));
}

/** The text in chunks of `size` bytes, so that characters and line ends are cut everywhere. */
export function cut(text: string, size: number): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  );
}
