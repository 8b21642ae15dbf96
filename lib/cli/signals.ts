/**
 * Signals from outside, told to one listener. A SIGHUP that was ignored when we started (nohup) stays ignored. What a
 * signal means is decided by the listener; nothing here ends the process.
 */

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

/**
 * Listens until disposed. How SIGHUP was inherited is looked at after `hangupMs`: for a quick call that costs more than
 * all that it does. Until then a hang-up ends us as it ends any program.
 */
export function watchSignals(listener: (signal: SignalName) => void, hangupMs: number): Disposable {
  const handlers = new Map<SignalName, () => void>();
  let disposed = false;
  const watch = (signal: SignalName) => {
    if (disposed) return;
    const handler = () => listener(signal);
    handlers.set(signal, handler);
    process.on(signal, handler);
  };
  watch("SIGINT");
  watch("SIGTERM");
  const ask = async () => (await hangupIgnored()) || watch("SIGHUP");
  const asking = hangupMs > 0 ? setTimeout(ask, hangupMs) : void ask();
  return {
    [Symbol.dispose]() {
      disposed = true;
      clearTimeout(asking);
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

/**
 * Whether we were started from a terminal: one of our streams is one, or one would hang up on us. Where there is no /proc the
 * streams alone tell.
 */
export async function isAttended(streams: {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}): Promise<boolean> {
  if (streams.stdin || streams.stdout || streams.stderr) return true;
  try {
    return hasTerminal(await Bun.file("/proc/self/stat").text());
  } catch {
    return false;
  }
}

/** Whether /proc/PID/stat names a controlling terminal: the fifth field behind the name, which may hold anything. */
export function hasTerminal(stat: string): boolean {
  const [, , , , terminal = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return terminal !== "0";
}

/** Whether a signal mask of /proc/PID/status holds SIGHUP (signal 1 is the lowest bit). */
export function holdsHangup(status: string): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "";
  return (Number.parseInt(mask.slice(-1) || "0", 16) & 1) === 1;
}

// --- internal ---

/** Must be asked before a handler is set, which replaces what was inherited. Where there is no /proc: not ignored. */
async function hangupIgnored(): Promise<boolean> {
  try {
    return holdsHangup(await Bun.file("/proc/self/status").text());
  } catch {
    return false;
  }
}
