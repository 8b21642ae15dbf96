/** stderr, which nobody waits for. */
import type { Writer } from "./io.ts";
import type { Sink } from "./types.ts";

/** stderr: what is written is queued up to a bound, then dropped and counted. */
export interface StderrSink extends Sink {
  /** Waits until all is written, at most so long. */
  drain(ms: number): Promise<void>;
}

/** Writes never wait and never throw; order is kept. */
export function stderrSink(open: () => Writer = () => Bun.stderr.writer()): StderrSink {
  let encoder: TextEncoder | undefined;
  let writer: Writer | undefined;
  let queue: (string | Uint8Array)[] = [];
  let queuedBytes = 0;
  let dropped = 0;
  let closed = false;
  let pumping = false;
  let pumped = Promise.resolve();

  async function pump() {
    pumping = true;
    try {
      writer ??= open();
      while (queue.length > 0) {
        const batch = queue;
        queue = [];
        if (dropped > 0) batch.push(`mcphost: ${dropped} lines dropped here: stderr is too slow\n`);
        dropped = 0;
        for (const data of batch) {
          await writer.write(data);
          await writer.flush();
          queuedBytes -= data.length;
        }
      }
    } catch {
      closed = true;
    }
    // In the same tick as the last look at the queue: what comes later starts the pump again.
    pumping = false;
  }

  return {
    get closed() {
      return closed;
    },
    async write(data) {
      if (closed || data.length === 0) return;
      const bytes = typeof data === "string" ? (encoder ??= new TextEncoder()).encode(data) : data;
      if (queuedBytes + bytes.length > stderrQueueBytesMax) {
        dropped++;
        return;
      }
      queuedBytes += bytes.length;
      queue.push(bytes);
      if (!pumping) pumped = pump();
    },
    async drain(ms) {
      if (pumping) await Promise.race([pumped, Bun.sleep(ms)]);
    },
  };
}

// --- internal ---

const stderrQueueBytesMax = 1024 * 1024;
