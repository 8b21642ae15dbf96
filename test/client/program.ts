/** Fixture programs as servers over real stdio. */
import { fileURLToPath } from "node:url";

import type { LogEntry } from "../../lib/base/log.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import { spawnChild } from "../../lib/process/spawn.ts";
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
        const spec = { name, command: process.execPath, args: [path, ...args], env: {} };
        const options = { log: (entry: LogEntry) => void log.push(entry) };
        const child = spawnChild(spec, { ...options, reaper: undefined, stopMs: 200 });
        return openStdio(child, { name, ...options });
      },
      ...extra,
    },
  };
  return state;
}
