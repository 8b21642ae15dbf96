import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
/** What the tests of `lib/process` share: children that log into a list, and looks at the table of processes. */
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { Child, ChildOptions, ChildSpec } from "../../lib/process/child.ts";
import { spawnChild } from "../../lib/process/spawn.ts";
import { readProcesses } from "../../lib/process/table.ts";

export const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };

export function fixture(name: string): string {
  return join(import.meta.dir, "../fixtures/process", name);
}

export interface Started {
  child: Child;
  entries: LogEntry[];
}

/** Starts a command as the server `it`. */
export function start(
  [command = "", ...args]: string[],
  more: Partial<ChildSpec & ChildOptions> = {},
): Started {
  const entries: LogEntry[] = [];
  const { cwd, env: own = env, name = "it", ...options } = more;
  const child = spawnChild(
    { name, command, args, env: own, ...(cwd !== undefined && { cwd }) },
    { log: (entry) => void entries.push(entry), reaper: undefined, stopMs: 2000, ...options },
  );
  return { child, entries };
}

/** Starts a fixture program under the running Bun. */
export function startFixture(name: string, more: Partial<ChildOptions> = {}): Started {
  return start([process.execPath, fixture(name)], more);
}

/** Reads stdout as text, a piece at a time. */
export class Output {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  text = "";

  constructor(child: Pick<Child, "stdout">) {
    this.#iterator = child.stdout[Symbol.asyncIterator]();
  }

  /** Reads until a whole line is there and gives it. */
  async line(): Promise<string> {
    while (!this.text.includes("\n")) if (!(await this.#more())) break;
    const [line = "", ...rest] = this.text.split("\n");
    this.text = rest.join("\n");
    return line;
  }

  /** Reads to the end and gives what was not given yet. */
  async rest(): Promise<string> {
    while (await this.#more());
    return this.text;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#iterator.next();
    if (!done) this.text += this.#decoder.decode(value, { stream: true });
    return !done;
  }
}

/** Living processes (no zombies) of these groups, and those of these ids. */
export async function living(...ids: number[]): Promise<number[]> {
  const table = (await readProcesses()) ?? [];
  return table
    .filter((row) => !row.isZombie && (ids.includes(row.group) || ids.includes(row.pid)))
    .map((row) => row.pid);
}

/** Waits for a condition. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 8000) {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(20);
  }
}

/** A new folder; removed when disposed. */
export async function folder() {
  const path = await mkdtemp(join(tmpdir(), "mcphost-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
