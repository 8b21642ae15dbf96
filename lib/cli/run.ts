/**
 * One command in the real world: its streams, its signals, its time, and what went wrong said on stderr. It never throws
 * and never ends the process. Loaded while the server starts, where that could be started early.
 */
import { exitCodeOf, HostError } from "../base/errors.ts";
import { cancelled, merged } from "./ending.ts";
import { widthOf } from "./fit.ts";
import { durationOf } from "./flags.ts";
import { logTo, readLevel } from "./log.ts";
import type { Route } from "./route.ts";
import { watchSignals } from "./signals.ts";
import { stderrSink } from "./stderr-sink.ts";
import { commands } from "./table.ts";
import type { Command, EarlyStart, Io, Parsed, Sink, Terminal } from "./types.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";

/** How long servers have to answer a cancellation, and slow readers of stderr to read the last lines. */
const leaveMs = 300;
const drainMs = 1000;
/** Wrappers (timeout, a package runner) hand on a signal that the whole group was sent: what comes within this is the same. */
const sameSignalMs = 100;
/** A quick command is most often over before this. */
const hangupMs = 50;

/** What a command line comes to before anything else of us is needed; `failed` where it is wrong. */
export type Begun = Begin | Exclude<Route, { kind: "run" }> | { kind: "failed"; error: unknown };

/** A command that is ready to run. `early`: its server, where that was started before this was loaded. */
export interface Begin {
  kind: "run";
  command: Command;
  parsed: Parsed;
  early: EarlyStart | undefined;
  cwd: string;
}

/** Runs what was begun, and says what went wrong. `words`: the line before `--`. Never rejects. */
export async function run(
  begun: Begun,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const stderr = stderrSink();
  let code: number;
  try {
    if (begun.kind === "failed") throw begun.error;
    const world = openWorld(stderr, terminal);
    code = begun.kind === "run" ? await runCommand(begun, world) : await show(begun, world);
  } catch (error) {
    const json = words.includes("--json");
    code = await fail(error, stderr, { json, debug: false, terminal: terminal.stderr });
  }
  await stderr.drain(drainMs);
  return code;
}

// --- internal ---

async function runCommand({ command, parsed, early, cwd }: Begin, world: World): Promise<number> {
  const { flags } = parsed;
  const controller = new AbortController();
  const json = flags["json"] === true;
  const { status, ...rest } = world;
  const shown = status && !json && flags["quiet"] !== true ? { status } : {};
  const left = Promise.withResolvers<undefined>();
  let endedAt: number | undefined;
  const end = (reason: HostError) => {
    if (endedAt !== undefined) {
      if (performance.now() - endedAt > sameSignalMs) left.resolve(undefined);
      return;
    }
    endedAt = performance.now();
    controller.abort(reason);
    if (!command.endsItself) setTimeout(() => left.resolve(undefined), leaveMs);
  };
  const interrupt = (reason = cancelled("SIGINT")) => end(reason);
  let hangup: (() => void) | undefined;
  const onHangup = (action: () => void) => {
    hangup = action;
    return { [Symbol.dispose]: () => void (hangup = undefined) };
  };
  const io: Io = { ...rest, ...shown, cwd, signal: controller.signal, interrupt, onHangup };
  const quietMs = command.endsItself || command.isEndless ? 0 : hangupMs;
  using _signals = watchSignals((signal) => {
    if (signal === "SIGHUP" && hangup !== undefined) hangup();
    else end(cancelled(signal));
  }, quietMs);
  let debug = false;
  try {
    const level = levelOf(flags);
    debug = level === "debug";
    const log = logTo(io, {
      level,
      stderr: flags["stderr"] === true,
      json: json || flags["events"] === true,
    });
    early?.log.passTo(log);
    using _time = maxTime(flags, end);
    const running = command.run(parsed, io, log, early);
    const code = await Promise.race([running, left.promise]);
    const { endsItself, isEndless } = command;
    const stands = endsItself === true || isEndless === true || !controller.signal.aborted;
    if (stands && code !== undefined) return code;
    throw controller.signal.reason;
  } catch (error) {
    status?.(undefined);
    const reason: unknown = controller.signal.aborted
      ? merged(controller.signal.reason, error)
      : error;
    return await fail(reason, io.stderr, { json, debug, terminal: io.terminal.stderr });
  }
}

function levelOf(flags: Parsed["flags"]) {
  const text = flags["log-level"];
  if (typeof text === "string") return readLevel(text);
  return flags["quiet"] === true ? "error" : "warn";
}

function maxTime(flags: Parsed["flags"], end: (reason: HostError) => void): Disposable {
  const timeoutMs = durationOf(flags, "max-time");
  if (timeoutMs === undefined) return { [Symbol.dispose]() {} };
  const facts = { timeoutMs };
  const timer = setTimeout(
    () =>
      end(new HostError("timeout", `given up after ${timeoutMs / 1000} s (--max-time)`, { facts })),
    timeoutMs,
  );
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

async function show(routed: Exclude<Route, { kind: "run" }>, world: World): Promise<number> {
  const help = await import("./help.ts");
  const color = world.terminal.stdout && !world.env["NO_COLOR"] && world.env["TERM"] !== "dumb";
  const options = { color, width: widthOf(world) };
  if (routed.kind === "version") await world.stdout.write(help.versionText());
  else if (routed.command)
    await world.stdout.write(await help.commandText(routed.command, options));
  else {
    const all = await Promise.all(Object.values(commands).map((load) => load()));
    const text = await help.commandsText(
      all.map((module) => module.default),
      options,
    );
    // The bare program in a script is a mistake, and stdout is for results.
    const mistake = routed.bare && !world.terminal.stdout;
    await (mistake ? world.stderr : world.stdout).write(text);
    if (mistake) return 2;
  }
  return 0;
}

async function fail(
  error: unknown,
  stderr: Sink,
  options: { json: boolean; debug: boolean; terminal: boolean },
): Promise<number> {
  const { report } = await import("./report.ts");
  await stderr.write(report(error, options));
  return exitCodeOf(error);
}
