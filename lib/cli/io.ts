/**
 * stdout, which reaches slow readers whole, and which of the standard streams are terminals. Neither this nor what is beside it
 * touches `process.stdout`, `process.stderr` or `process.stdin`, which cost milliseconds at start.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { Sink, Terminal } from "./types.ts";

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
