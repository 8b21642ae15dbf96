/**
 * `tee FILE -- COMMAND…`: stands in front of a server as its configured command. It passes bytes, ends and signals in
 * both directions exactly as they come and appends the lines to a file. It never understands what passes.
 */
import { closeSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { constants } from "node:os";
import { resolve } from "node:path";

import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { checkCommand } from "../../config/spec.ts";
import type { ExitInfo } from "../../process/child.ts";
import { type Passthrough, spawnPassthrough } from "../../process/passthrough.ts";
import { startReaper } from "../../process/reaper.ts";
import { commonFlags } from "../flags.ts";
import { LineRecord } from "../line-record.ts";
import { type Outlet, Pump } from "../tee.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "tee",
  description: "Pass a server's bytes through and append every line to a file",
  example: "mcphost tee /tmp/everything.log -- npx -y @modelcontextprotocol/server-everything",
  usage: "FILE -- COMMAND…",
  flags: {
    FILE: {
      type: "positional",
      description: "where the lines are appended; it is made if need be",
    },
    "-- COMMAND…": { type: "positional", description: "the server, taken as it stands" },
    ...commonFlags,
  },
  endsItself: true,
  run,
};

export default command;

// --- internal ---

/** How long an end waits: for a slow file, and for somebody who keeps the pipe of a child that is gone. */
const lingerMs = 500;

async function run({ positionals, rest }: Parsed, io: Io, log: Log): Promise<number> {
  const [name] = positionals;
  if (name === undefined || positionals.length > 1 || !rest?.length)
    throw new HostError("usage", "tee needs one FILE, and a command after `--`", {
      hint: command.example,
    });
  checkCommand(rest);
  const record = await openRecord(resolve(io.cwd, name), log);
  const reaper = startReaper();
  const child = spawnPassthrough({ argv: rest, env: io.env, cwd: io.cwd, reaper });
  using scope = new DisposableStack();
  scope.use(passSignals(io.signal, child));

  const input = Bun.stdin.stream().getReader();
  const inward = new Pump(input, childStdin(child), record.tap(">>"));
  const outward = new Pump(child.stdout.getReader(), ourStdout(), record.tap("<<"));
  const exit = await child.exited;
  await Promise.all([outward.done, outward.endWhenQuiet(lingerMs)]);
  await input.cancel();
  await inward.done;
  if (!(await record.close(lingerMs)))
    log({ level: "warn", text: `${name} took the last lines too slowly: they are not in it` });
  return statusOf(exit);
}

/** @throws HostError `output` when the file cannot be opened, said before anything is started */
async function openRecord(file: string, log: Log): Promise<LineRecord> {
  let started = false;
  let broken: unknown;
  const record = new LineRecord({
    // What passes may be secret: nobody else may read it.
    open: () => open(file, "a", 0o600),
    now: Date.now,
    failed(error) {
      broken = error;
      if (started)
        log({ level: "warn", text: `${file} is not written any more: ${reason(error)}` });
    },
  });
  // A pipe without a reader, or a slow disk, must not keep the server from starting.
  await Promise.race([record.opened(), Bun.sleep(lingerMs)]);
  started = true;
  if (broken === undefined) return record;
  throw new HostError("output", `cannot write ${file}: ${reason(broken)}`, {
    facts: { file },
    hint: "name a file in a folder that exists and that you may write",
    cause: broken,
  });
}

function childStdin(child: Passthrough): Outlet {
  return {
    write: (chunk) => child.write(chunk),
    async close() {
      await child.end();
      // Whoever writes to us learns that nobody reads any more.
      replaceByNull(0);
    },
  };
}

/** Ours alone, not `io.stdout`: only who holds the writer can let go of the descriptor. */
function ourStdout(): Outlet {
  const writer = Bun.stdout.writer();
  return {
    async write(chunk) {
      try {
        await writer.write(chunk);
        await writer.flush();
        return true;
      } catch {
        return false;
      }
    },
    async close() {
      try {
        await writer.end();
      } catch {
        // The reader has left.
      }
      replaceByNull(1);
    },
  };
}

/** Closes a descriptor for the other side, and keeps its number from being taken by something else. */
function replaceByNull(fd: 0 | 1): void {
  if (process.platform === "win32") return;
  try {
    closeSync(fd);
    openSync("/dev/null", fd === 0 ? "r" : "w");
  } catch {
    // It was closed already.
  }
}

/** Signals that programs give a meaning to; those that end us come by `io.signal`. */
const others = ["SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

function passSignals(signal: AbortSignal, child: Passthrough): Disposable {
  const pass = (name: NodeJS.Signals) => child.signal(name);
  const stop = () =>
    pass(((signal.reason as HostError).facts.signal ?? "SIGTERM") as NodeJS.Signals);
  signal.addEventListener("abort", stop);
  for (const name of others) process.on(name, pass);
  return {
    [Symbol.dispose]() {
      signal.removeEventListener("abort", stop);
      for (const name of others) process.off(name, pass);
    },
  };
}

/** As a shell says it: the code, or 128 and the signal's number. */
function statusOf({ exitCode, signal }: ExitInfo): number {
  return exitCode ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? Number(signal));
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
