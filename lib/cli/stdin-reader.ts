/** stdin, read only when it is asked for. */
import { errnoOf, HostError, isHostError } from "../base/errors.ts";

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

// --- internal ---

const stdinBytesMax = 64 * 1024 * 1024;
