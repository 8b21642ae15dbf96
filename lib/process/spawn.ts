/**
 * The whole life of one child process: started in a group and session of its own, with exactly the environment it is
 * given, its three pipes served, stopped with everything it started. It knows lines on stdin and bytes on stdout, no more.
 */
import { settlesWithin } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import { debug, since } from "../base/log.ts";
import type { Child, ChildOptions, ChildSpec, ExitInfo, StopReport } from "./child.ts";
import { Chunks } from "./chunks.ts";
import { groupExists, processTree } from "./group.ts";
import type { Process } from "./run.ts";
import { start } from "./start.ts";
import { StderrTail } from "./stderr.ts";
import { StdinWriter } from "./stdin.ts";
import { climb } from "./stop.ts";

/**
 * Starts a child, never through a shell. It is there when this returns.
 * @param running its process, where somebody started that already
 * @throws HostError `server_start` with `errno`, `command`, `cwd` and `path` as facts · `config` (NUL in an argument)
 */
export function spawnChild(spec: ChildSpec, options: ChildOptions, running?: Process): Child {
  const proc = running ?? start(spec, options.reaper?.expect());
  // At once: whatever comes between is time in which we could be killed and the server would outlive us.
  let child: SpawnedChild | undefined;
  options.reaper?.add(proc.pid, () => child?.release());
  child = new SpawnedChild(proc, spec, options);
  debug(options.log, spec.name, () => {
    const argv = JSON.stringify([spec.command, ...spec.args]);
    return `started: pid ${proc.pid}, ${argv}${spec.cwd === undefined ? "" : ` in ${spec.cwd}`}`;
  });
  return child;
}

// --- internal ---

/** How long a pipe may be silent, after the child is gone, before we close it. */
const drainMs = 250;
/** How long a failed write waits for the end of the child, to tell how it ended. */
const lastWordsMs = 100;
/** Lines of stderr in the facts of an error. */
const stderrLines = 20;

class SpawnedChild implements Child {
  readonly pid: number;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly exited: Promise<ExitInfo>;
  readonly #proc: Process;
  readonly #spec: ChildSpec;
  readonly #options: ChildOptions;
  readonly #stdin: StdinWriter;
  readonly #stderr: StderrTail;
  readonly #stderrDone: Promise<void>;
  readonly #released = Promise.withResolvers<number>();
  #exit: ExitInfo | undefined;
  #isReleased = false;
  #stopping: Promise<StopReport> | undefined;

  constructor(proc: Process, spec: ChildSpec, options: ChildOptions) {
    this.#proc = proc;
    this.#spec = spec;
    this.#options = options;
    this.pid = proc.pid;
    this.exited = proc.exited.then(() => this.#onExit());
    this.#stdin = new StdinWriter(proc.stdin, () => this.#stdinError());
    this.stdout = new Chunks(proc.stdout, {
      gone: this.#gone(),
      onChunk: () => this.#stdin.heard(),
      // Who sees the end wants to know why: the last words stand on stderr.
      beforeEnd: () => settlesWithin(this.#stderrDone, drainMs),
    });
    const { log, stderrTailBytes } = options;
    this.#stderr = new StderrTail({ name: spec.name, log, tailBytes: stderrTailBytes });
    this.#stderrDone = this.#readStderr();
  }

  get isLetGo(): boolean {
    return this.#isReleased || this.#stopping !== undefined;
  }

  write(line: string): Promise<void> | undefined {
    return this.#stdin.write(line);
  }

  stderrTail(): string[] {
    return this.#stderr.lines();
  }

  stop(): Promise<StopReport> {
    return (this.#stopping ??= this.#stop());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  letGo(): void {
    this.#isReleased = true;
    debug(this.#options.log, this.#spec.name, () => `left to the reaper: pid ${this.pid}`);
    this.#stdin.flush();
  }

  /** The reaper does the rest while we live on: nothing here keeps the event loop alive any more. */
  release(): void {
    this.letGo();
    this.#stdin.end();
    this.#stdin.unref();
    this.#proc.unref();
    this.#released.resolve(0); // a pending read would keep us, whatever `unref` says
  }

  #onExit(): ExitInfo {
    const { exitCode, signalCode } = this.#proc;
    const leaves = process.platform !== "win32" && groupExists(this.pid);
    const exit: ExitInfo = {
      exitCode,
      signal: signalCode === null ? null : String(signalCode),
      ...(leaves && { leaves }),
    };
    this.#exit = exit;
    this.#stdin.end();
    if (!leaves) this.#forget();
    return exit;
  }

  async #stop(): Promise<StopReport> {
    const { name } = this.#spec;
    const startedAt = performance.now();
    const report = await climb({
      tree: processTree(this.pid, () => this.#exit !== undefined),
      exited: this.exited,
      exit: () => this.#exit,
      closeStdin: () => this.#stdin.end(),
      stopMs: this.#options.stopMs ?? 2000,
    });
    debug(
      this.#options.log,
      name,
      () => `stopped: pid ${this.pid}, ${report.rung} after ${since(startedAt)}`,
    );
    if (!this.#proc.stdout.locked) await this.#proc.stdout.cancel();
    if (report.rung !== "alive") {
      this.#forget();
      await this.#stderrDone;
      return report;
    }
    this.#proc.unref();
    const text = `the process ${this.pid} is still alive after SIGKILL: it was left behind`;
    this.#options.log({ level: "error", text, server: name });
    return report;
  }

  #forget(): void {
    this.#options.reaper?.remove(this.pid);
  }

  /** When nobody is left to write to us, and how long to wait for what is on its way. */
  #gone(): Promise<number> {
    return Promise.race([this.exited.then(() => drainMs), this.#released.promise]);
  }

  async #readStderr(): Promise<void> {
    try {
      const chunks = new Chunks(this.#proc.stderr, { gone: this.#gone() });
      for await (const chunk of chunks) this.#stderr.push(chunk);
    } finally {
      this.#stderr.end();
    }
  }

  async #stdinError(): Promise<HostError> {
    // A closed stdin is most often the first sign of an end: then the reason comes right behind it.
    await settlesWithin(Promise.all([this.exited, this.#stderrDone]), lastWordsMs);
    const server = this.#spec.name;
    const exit = this.#exit;
    const what =
      exit === undefined
        ? "takes no more input"
        : `has ended (${exit.signal ?? `exit code ${exit.exitCode}`})`;
    return new HostError("server_exit", `server "${server}" ${what}`, {
      facts: {
        server,
        ...(exit?.exitCode != null && { exitCode: exit.exitCode }),
        ...(exit?.signal != null && { signal: exit.signal }),
        stderr: this.#stderr.lines().slice(-stderrLines),
      },
    });
  }
}
