/** What the tests of stdio share: a child that writes what it is told to, and a transport over it. */
import type { LogEntry } from "../../lib/base/log.ts";
import type { Child, ExitInfo } from "../../lib/process/child.ts";
import { openStdio } from "../../lib/transport/stdio.ts";
import type { Incoming, Transport } from "../../lib/transport/transport.ts";

/** An answer as it is written. */
export const reply = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

interface Fake {
  child: Child;
  written: string[];
  exit: (info: ExitInfo) => void;
}

/** A child that writes these chunks and then closes its stdout. */
export function fake(chunks: string[], options: { fails?: Error; stderr?: string[] } = {}): Fake {
  const written: string[] = [];
  const exited = Promise.withResolvers<ExitInfo>();
  async function* stdout(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
    if (options.fails) throw options.fails;
  }
  let isLetGo = false;
  const stop = async () => {
    isLetGo = true;
    exited.resolve({ exitCode: 0, signal: null });
    return { rung: "eof" as const, exit: await exited.promise };
  };
  const child: Child = {
    pid: 1,
    get isLetGo() {
      return isLetGo;
    },
    letGo: () => void (isLetGo = true),
    stdout: stdout(),
    write: async (line) => void written.push(line),
    exited: exited.promise,
    stderrTail: () => options.stderr ?? [],
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
  return { child, written, exit: exited.resolve };
}

/** A transport over this child, with what it logged. */
export function open(
  child: Child,
  lineBytesMax?: number,
): { transport: Transport; logs: LogEntry[] } {
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  return {
    logs,
    transport: openStdio(child, { name: "srv", log, ...(lineBytesMax && { lineBytesMax }) }),
  };
}

/** All that came in. */
export async function all(transport: Transport): Promise<Incoming[]> {
  return await Array.fromAsync(transport.incoming);
}
