/** Which of our streams are terminals. Asked of the system without loading what reads or writes them, and without a thread. */
import type { Terminal } from "./types.ts";

/** Which of the three standard streams are terminals. */
export function terminals(): Terminal {
  const { isTTY } = (process as unknown as Bindings).binding("tty_wrap");
  const [stdin, stdout, stderr] = [isTTY(0), isTTY(1), isTTY(2)];
  if (!stdout && !stderr) return { stdin, stdout, stderr, columns: 80 };
  let columns: number | undefined;
  return {
    stdin,
    stdout,
    stderr,
    get columns() {
      const { WriteStream } = process.getBuiltinModule("node:tty");
      columns ??= new WriteStream(stdout ? 1 : 2).columns;
      return columns || 80;
    },
  };
}

// --- internal ---

/** What `isatty` of `node:tty` asks, which takes milliseconds to load. */
interface Bindings {
  binding(name: "tty_wrap"): { isTTY(fd: number): boolean };
}
