/**
 * The real world of a run: stdout that reaches slow readers whole, stderr that nobody waits for, stdin that is read only
 * when asked. It never touches `process.stdout`, `process.stderr` or `process.stdin`, which cost milliseconds at start.
 */
import { errnoOf, HostError, isHostError } from "../base/errors.ts";
import type { Sink, Terminal } from "./types.ts";

const stderrQueueBytesMax = 1024 * 1024;
const stdinBytesMax = 64 * 1024 * 1024;

/** What a file descriptor writes with: the part of `Bun.FileSink` that is used here. */
export interface Writer {
  write(data: string | Uint8Array): number | Promise<number>;
  flush(): number | Promise<number>;
}

/**
 * Every byte reaches a slow reader, and the event loop stays free meanwhile. A reader that left is no error.
 * @throws HostError `output` when the bytes cannot be written (full disk)
 */
export function stdoutSink(open: () => Writer = () => Bun.stdout.writer()): Sink {
  let writer: Writer | undefined;
  let closed = false;
  return {
    get closed() {
      return closed;
    },
    async write(data) {
      if (closed || data.length === 0) return;
      try {
        writer ??= open();
        await writer.write(data);
        await writer.flush();
      } catch (cause) {
        closed = true;
        if (readerLeft(cause)) return;
        throw new HostError("output", `stdout cannot be written: ${text(cause)}`, { cause });
      }
    },
  };
}

/** Whatever became of its result, the call is not to be repeated. */
export function afterCall(error: unknown): unknown {
  if (!isHostError(error) || error.code !== "output" || error.hint !== undefined) return error;
  const { code, message, facts } = error;
  const hint = "the call itself was done; it was not repeated";
  return new HostError(code, message, { facts, hint, cause: error });
}

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

/** A reader of the whole of stdin, for one use. @throws HostError `usage` on the second, or when there is too much */
export function stdinReader(open: () => ReadableStream<Uint8Array> = () => Bun.stdin.stream()) {
  let used = false;
  return async (): Promise<Uint8Array> => {
    if (used) throw new HostError("usage", "stdin is asked for twice, and can be read only once");
    used = true;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of open()) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > stdinBytesMax)
          throw new HostError("usage", `stdin holds more than ${stdinBytesMax} bytes`);
      }
    } catch (error) {
      throw stdinError(error);
    }
    return Buffer.concat(chunks);
  };
}

/** Why stdin cannot be read: it may be a folder, or a terminal that is gone. */
export function stdinError(error: unknown): HostError {
  if (isHostError(error)) return error;
  const why = errnoOf(error) ?? String(error);
  return new HostError("usage", `stdin cannot be read (${why})`, {
    hint: "give it a file or a pipe (< FILE, COMMAND | …)",
    cause: error,
  });
}

/** Which of the three standard streams are terminals: asked of the system without loading what reads or writes them. */
export function terminals(): Terminal {
  const { isTTY } = (process as unknown as Bindings).binding("tty_wrap");
  const [stdin, stdout, stderr] = [isTTY(0), isTTY(1), isTTY(2)];
  if (!stdout && !stderr) return { stdin, stdout, stderr, columns: 80 };
  let stream: Sized | undefined;
  return {
    stdin,
    stdout,
    stderr,
    get columns() {
      const { WriteStream } = process.getBuiltinModule("node:tty");
      // Its window is made wider and narrower while we run.
      if (stream === undefined) stream = new WriteStream(stdout ? 1 : 2) as unknown as Sized;
      else stream._refreshSize();
      return stream.columns || 80;
    },
  };
}

// --- internal ---

function readerLeft(cause: unknown): boolean {
  const code = (cause as { code?: unknown } | null)?.code;
  return code === "EPIPE" || code === "ECONNRESET";
}

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A stream of `node:tty`, which asks for the size once, and again when its own `resize` is heard. */
interface Sized {
  columns: number;
  _refreshSize(): void;
}

/** What `isatty` of `node:tty` asks, which takes milliseconds to load. */
interface Bindings {
  binding(name: "tty_wrap"): { isTTY(fd: number): boolean };
}
