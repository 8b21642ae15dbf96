/** Fixture programs as servers over real stdio. */
import { fileURLToPath } from "node:url";

import { HostError } from "../../lib/base/errors.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import type { ConnectOptions } from "../../lib/client/types.ts";
import type { Child } from "../../lib/process/child.ts";
import { openStdio } from "../../lib/transport/stdio.ts";

export interface Program {
  options: ConnectOptions;
  log: LogEntry[];
  /** How often it was started. */
  links: number;
}

export function program(
  file: string,
  args: string[] = [],
  extra: Partial<ConnectOptions> = {},
): Program {
  const log: LogEntry[] = [];
  const name = "fixture";
  const state: Program = {
    log,
    links: 0,
    options: {
      name,
      clientInfo: { name: "test", version: "0" },
      answers: {},
      log: (entry) => log.push(entry),
      signal: new AbortController().signal,
      open: async () => {
        state.links++;
        const path = fileURLToPath(new URL(`../fixtures/client/${file}`, import.meta.url));
        const child = start([process.execPath, path, ...args]);
        return openStdio(child, { name, log: (entry) => log.push(entry) });
      },
      ...extra,
    },
  };
  return state;
}

/** The plainest child there can be; the stop ladder and the reaper are tested in their own room. */
function start(cmd: string[]): Child {
  const proc = Bun.spawn(cmd, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  let stderr = "";
  void (async () => {
    for await (const chunk of proc.stderr) stderr += new TextDecoder().decode(chunk);
  })();
  const stop = async () => {
    await proc.stdin.end();
    proc.kill("SIGKILL");
    await proc.exited;
    return { rung: "kill" as const, exit: undefined };
  };
  return {
    pid: proc.pid,
    stdout: proc.stdout,
    write: async (line) => {
      try {
        proc.stdin.write(line.endsWith("\n") ? line : `${line}\n`);
        await proc.stdin.flush();
      } catch (cause) {
        throw new HostError("server_exit", "the fixture closed its stdin", { cause });
      }
    },
    exited: proc.exited.then(() => {
      const { exitCode, signalCode } = proc;
      return { exitCode, signal: signalCode === null ? null : String(signalCode) };
    }),
    stderrTail: () => stderr.split("\n").filter(Boolean),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
