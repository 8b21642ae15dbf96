/** Runs a program that is known to be there, in a group and session of its own. What becomes of it is for others. */
import type { ChildSpec } from "./child.ts";
import type { Resolved } from "./command.ts";

/** What its owner needs of one. */
export interface Process {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | number | null;
  readonly stdin: Stdin;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Its end keeps our event loop alive no more. */
  unref(): void;
}

export type Stdin = Pick<Bun.FileSink, "write" | "flush" | "end" | "unref">;
export interface Output {
  readonly locked: boolean;
  cancel(): Promise<void>;
  getReader(): Reader;
}
export interface Reader {
  read(): Promise<Read>;
  cancel(): Promise<void>;
}
export type Read =
  { done: false; value: Uint8Array } | { done: true; value?: Uint8Array | undefined };

/** @param marks go into its environment, too. @throws what the system says */
export function run(
  { argv, verbatim }: Resolved,
  { env, cwd }: ChildSpec,
  marks: Readonly<Record<string, string>> = {},
): Process {
  return Bun.spawn(argv, {
    env: { ...env, ...marks },
    ...(cwd !== undefined && { cwd }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    lazy: true, // stdout is read when somebody wants it, so that a fast writer cannot fill our memory
    detached: true,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
}
