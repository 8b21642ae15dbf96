/** Finds a program (POSIX), and runs one in a group and session of its own. What becomes of it is for others. */
import type { ChildSpec } from "./child.ts";

/** What to start: an argv, and whether Windows must take it as it stands. */
export interface Resolved {
  argv: string[];
  verbatim: boolean;
}

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

/**
 * The path of a server's program: of a command with a slash as seen from the server's folder, whether it is there or not; else
 * as it is found on the server's own PATH (default `/usr/bin:/bin`), undefined where it is not. It starts nothing.
 */
export function locate(spec: ChildSpec): string | undefined {
  const { command } = spec;
  if (isPath(command)) return absolute(command, folderOf(spec));
  if (command === "") return undefined;
  const path = pathOf(spec.env);
  const folders = isAbsolute(path) ? path : foldersOf(spec).join(":");
  return Bun.which(command, { PATH: folders }) ?? undefined;
}

/** A command that is looked for nowhere. */
export function isPath(command: string): boolean {
  return command.includes("/");
}

/** The PATH of a server. */
export function pathOf(env: Readonly<Record<string, string>>): string {
  return env.PATH ?? "/usr/bin:/bin";
}

/** The folders of a server's PATH; relative ones, and the empty one, start at the server's folder. */
export function foldersOf(spec: ChildSpec): string[] {
  const folders = pathOf(spec.env).split(":");
  return folders.map((folder) => absolute(folder, folderOf(spec)));
}

/** The folder that a server runs in. */
export function folderOf({ cwd }: ChildSpec): string {
  return cwd ?? process.cwd();
}

/** A file as seen from a folder. */
export function absolute(file: string, folder: string): string {
  return file.startsWith("/") ? file : `${folder}/${file}`;
}

// --- internal ---

/** All folders of a PATH are. By a loop: this is on the way of each start, and an expression is compiled first. */
function isAbsolute(path: string): boolean {
  let isAt = path.startsWith("/");
  for (let at = path.indexOf(":"); isAt && at >= 0; at = path.indexOf(":", at + 1))
    isAt = path.startsWith("/", at + 1);
  return isAt;
}
