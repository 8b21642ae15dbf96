/**
 * One child whose stdin and stdout are handed on as raw bytes, for `tee`. It has our whole environment, our stderr and a
 * process group of its own. It never splits, decodes, keeps or stops anything: that is the caller's and the reaper's part.
 */
import type { ChildSpec, ExitInfo, Reaper } from "./child.ts";
import { resolveCommand, startError } from "./command.ts";

export interface PassthroughSpec {
  /** Looked for as that of any server. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Is told of the group in the same tick. */
  reaper: Reaper | undefined;
}

export interface Passthrough {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Resolves when the pipe took all of it; false once the child has closed its stdin or is gone. */
  write(chunk: Uint8Array): Promise<boolean>;
  /** Closes the child's stdin. Idempotent. */
  end(): Promise<void>;
  /** Resolves when the process is gone (its group may live on); never rejects. */
  readonly exited: Promise<ExitInfo>;
  /** To the whole group; nothing when it is gone. */
  signal(name: NodeJS.Signals): void;
}

/** @throws HostError `server_start` · `config` (NUL in an argument) */
export function spawnPassthrough({ reaper, ...spec }: PassthroughSpec): Passthrough {
  const proc = spawn(spec, reaper?.expect());
  reaper?.add(proc.pid);
  return {
    pid: proc.pid,
    stdout: proc.stdout,
    async write(chunk) {
      // A closed stdin shows up as a throw or as a rejection, of either call.
      try {
        await proc.stdin.write(chunk);
        await proc.stdin.flush();
        return true;
      } catch {
        return false;
      }
    },
    async end() {
      try {
        await proc.stdin.end();
      } catch {
        // It was closed from the other side.
      }
    },
    exited: proc.exited.then((): ExitInfo => {
      const { exitCode, signalCode } = proc;
      return { exitCode, signal: signalCode === null ? null : String(signalCode) };
    }),
    signal(name) {
      try {
        if (process.platform === "win32") proc.kill(name);
        else process.kill(-proc.pid, name);
      } catch {
        // The group is gone.
      }
    },
  };
}

// --- internal ---

function spawn(
  { argv: [command = "", ...args], env, cwd }: Omit<PassthroughSpec, "reaper">,
  marks: ReturnType<Reaper["expect"]> = {},
) {
  const ours = Object.entries(env).filter(([, value]) => value !== undefined);
  const own = Object.fromEntries(ours) as Record<string, string>;
  const spec: ChildSpec = { name: command, command, args, env: own, cwd };
  const { argv, verbatim } = resolveCommand(spec);
  try {
    return Bun.spawn(argv, {
      cwd,
      env: { ...own, ...marks },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
      detached: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (cause) {
    throw startError(spec, argv[0] ?? command, cause);
  }
}
