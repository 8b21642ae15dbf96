/**
 * Where the words of plugins go: to stderr, since stdout holds the result alone, or the protocol. Of our own code nothing
 * prints by these ways.
 */
import type { Io } from "./types.ts";

/** From now on `console` and `process.stdout` write to stderr, bounded and redacted as all that we write there. */
export function printsAside({ stderr }: Pick<Io, "stderr">): void {
  const write = (text: string) => void stderr.write(text);
  const print = (...args: unknown[]) => write(`${lineOf(args)}\n`);
  const aside: Partial<Console> = {};
  for (const name of ["log", "info", "debug", "warn", "error", "trace", "dir"] as const)
    aside[name] = print;
  aside.table = (data) => write(`${Bun.inspect.table(data as object)}\n`);
  aside.write = (...data) => {
    const text = data.map(textOf).join("");
    write(text);
    return text.length;
  };
  Object.assign(console, aside);
  const standIn = {
    isTTY: false,
    writable: true,
    write(data: string | Uint8Array, encoding?: unknown, done?: unknown) {
      write(textOf(data));
      const after = typeof encoding === "function" ? encoding : done;
      if (typeof after === "function") queueMicrotask(() => after());
      return true;
    },
    end: () => standIn,
    on: () => standIn,
    once: () => standIn,
    emit: () => false,
  };
  Object.defineProperty(process, "stdout", { configurable: true, get: () => standIn });
}

// --- internal ---

/** As console prints: texts as they are, everything else inspected, one after the other. */
function lineOf(args: readonly unknown[]): string {
  return args.map((arg) => (typeof arg === "string" ? arg : Bun.inspect(arg))).join(" ");
}

function textOf(data: unknown): string {
  if (typeof data === "string") return data;
  return new TextDecoder().decode(data as Uint8Array);
}
