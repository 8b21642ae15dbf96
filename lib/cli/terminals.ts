/** Which of our streams are terminals. Asked of the system without loading what reads or writes them. */
import type { Terminal } from "./types.ts";

/** Which of the three standard streams are terminals. */
export async function terminals(): Promise<Terminal> {
  const maybe = await Promise.all([0, 1, 2].map(maybeTerminal));
  if (!maybe.includes(true)) return { stdin: false, stdout: false, stderr: false, columns: 80 };
  const { isatty, WriteStream } = await import("node:tty");
  const [stdin = false, stdout = false, stderr = false] = maybe.map((yes, fd) => yes && isatty(fd));
  let columns: number | undefined;
  return {
    stdin,
    stdout,
    stderr,
    get columns() {
      if (stdout || stderr) columns ??= new WriteStream(stdout ? 1 : 2).columns;
      return columns || 80;
    },
  };
}

// --- internal ---

/** Cheap and one-sided: `node:tty` (milliseconds) is only asked about character devices that are not /dev/null and its kin. */
async function maybeTerminal(fd: number): Promise<boolean> {
  try {
    const stat = await Bun.file(fd).stat();
    return stat.isCharacterDevice() && !(process.platform === "linux" && stat.rdev >> 8 === 1);
  } catch {
    return false;
  }
}
