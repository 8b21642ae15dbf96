/**
 * The test kit: temporary folders, and a builder that runs the real program, in pipes or on a pseudo-terminal, and
 * compares all it said at once. Every run has a home of its own, and every process started by it carries that home in
 * its environment: so what is left can be found (processes.ts).
 */
import { join } from "node:path";

import type { Run } from "./expect-run.ts";
import { waitFor } from "./processes.ts";
import { tempDir } from "./temp-dir.ts";

export { type Expected, expectRun, type Run } from "./expect-run.ts";
export { type TempDir, tempDir } from "./temp-dir.ts";

export const root = join(import.meta.dir, "..");

/** How Bun must be started so that it takes nothing from the current folder (design.md, starting fast). */
export const bunAlone = [process.execPath, "--no-env-file", "--no-install", "--config=/dev/null"];

/** The program from its source. */
export const fromSource = [...bunAlone, join(root, "mcphost.ts")];

/**
 * The program, the default of `mcphost`: from source, or by the entry that TEST_ENTRY names (the bundle is what is shipped,
 * and starts three times as fast).
 */
export const sourceProgram = [...bunAlone, join(root, process.env["TEST_ENTRY"] ?? "mcphost.ts")];

/** A command line of the program on its way. Each step returns the builder. */
export class Invocation {
  #program = sourceProgram;
  #env: Record<string, string | undefined> = {};
  #cwd: string = root;
  #home: string | undefined;
  #stdin: string | Uint8Array | undefined;
  #timeoutMs = 30_000;
  readonly #args: string[];

  constructor(args: string[]) {
    this.#args = args;
  }

  /** Another form of the program, such as the bundle or the binary, as an argv. */
  program(argv: string[]): this {
    this.#program = argv;
    return this;
  }

  /** More variables; `undefined` takes one away. */
  env(variables: Record<string, string | undefined>): this {
    Object.assign(this.#env, variables);
    return this;
  }

  cwd(folder: string): this {
    this.#cwd = folder;
    return this;
  }

  /** Holds HOME and the XDG folders. @default a fresh folder for each run */
  home(folder: string): this {
    this.#home = folder;
    return this;
  }

  /** What it reads. @default nothing, at end of file */
  stdin(data: string | Uint8Array): this {
    this.#stdin = data;
    return this;
  }

  /** It is killed after that, and `code` is null. @default 30000 */
  timeoutMs(ms: number): this {
    this.#timeoutMs = ms;
    return this;
  }

  /** Runs it to its end. */
  async run(): Promise<Run> {
    await using running = await this.start();
    return await running.done;
  }

  /** Starts it and returns at once. */
  async start(): Promise<Running> {
    const owned = this.#home === undefined ? await tempDir() : undefined;
    const home = this.#home ?? owned!.path;
    const started = performance.now();
    const proc = Bun.spawn([...this.#program, ...this.#args], {
      cwd: this.#cwd,
      env: environment(home, this.#env),
      stdin: this.#stdin === undefined ? "ignore" : new Blob([this.#stdin]),
      stdout: "pipe",
      stderr: "pipe",
      timeout: this.#timeoutMs,
      killSignal: "SIGKILL",
    });
    const done = Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]).then(
      ([stdout, stderr]): Run => ({
        code: proc.exitCode,
        stdout,
        stderr,
        marker: home,
        ms: performance.now() - started,
      }),
    );
    return {
      pid: proc.pid,
      marker: home,
      done,
      kill: (signal) => proc.kill(signal),
      async [Symbol.asyncDispose]() {
        proc.kill("SIGKILL");
        await proc.exited;
        await owned?.[Symbol.asyncDispose]();
      },
    };
  }

  /** Starts it on a pseudo-terminal of 80 columns. */
  async terminal(): Promise<Screen> {
    const owned = this.#home === undefined ? await tempDir() : undefined;
    const home = this.#home ?? owned!.path;
    let text = "";
    const decoder = new TextDecoder();
    const proc = Bun.spawn([...this.#program, ...this.#args], {
      cwd: this.#cwd,
      env: environment(home, { TERM: "xterm-256color", ...this.#env }),
      timeout: this.#timeoutMs,
      killSignal: "SIGKILL",
      terminal: {
        cols: 80,
        rows: 24,
        data: (_terminal, bytes) => {
          text += decoder.decode(bytes, { stream: true });
        },
      },
    });
    return {
      marker: home,
      text: () => text,
      type: (keys) => void proc.terminal?.write(keys),
      shows: (pattern) =>
        waitFor(
          () => pattern.test(text),
          () => `${pattern} in ${JSON.stringify(text)}`,
        ),
      kill: (signal) => proc.kill(signal),
      resize: (columns) => void proc.terminal?.resize(columns, 24),
      exited: proc.exited,
      async [Symbol.asyncDispose]() {
        proc.kill("SIGKILL");
        await proc.exited;
        proc.terminal?.close();
        await owned?.[Symbol.asyncDispose]();
      },
    };
  }
}

/** A run that has begun. Disposing kills it where it still runs. */
export interface Running extends AsyncDisposable {
  pid: number;
  marker: string;
  done: Promise<Run>;
  kill(signal: NodeJS.Signals): void;
}

/** A run on a terminal: its stdin, stdout and stderr are one screen. */
export interface Screen extends AsyncDisposable {
  marker: string;
  /** All that was written so far, control sequences included; lines end in CR LF. */
  text(): string;
  type(keys: string): void;
  /** Waits until the text matches. */
  shows(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  resize(columns: number): void;
  exited: Promise<number>;
}

/** The program with these arguments: `await mcphost("call", "echo", "--", …).run()`. */
export function mcphost(...args: string[]): Invocation {
  return new Invocation(args);
}

// --- internal ---

function environment(home: string, more: Record<string, string | undefined>) {
  return {
    PATH: process.env["PATH"],
    TMPDIR: process.env["TMPDIR"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    ...more,
  };
}
