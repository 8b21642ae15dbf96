/**
 * The command line from its words to its exit status: builds the world, finds the command, runs it, and renders what went
 * wrong. It never throws and never ends the process.
 */
import { exitCodeOf, HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { redact } from "../config/secrets.ts";
import { cutLine } from "./args.ts";
import { widthOf } from "./fit.ts";
import { durationOf } from "./flags.ts";
import { currentFolder } from "./folder.ts";
import { stderrSink, stdinReader, stdoutSink, terminals } from "./io.ts";
import type { StderrSink } from "./io.ts";
import { logTo, readLevel } from "./log.ts";
import { route } from "./route.ts";
import type { Route } from "./route.ts";
import { Secrets } from "./secrets.ts";
import { watchSignals } from "./signals.ts";
import { statusLine } from "./status.ts";
import { commands } from "./table.ts";
import type { Command, EarlyStart, Io, Parsed, Sink } from "./types.ts";

/** How long servers have to answer a cancellation, and slow readers of stderr to read the last lines. */
const leaveMs = 300;
const drainMs = 1000;
/** A command that started its server early is most often over before this. */
const hangupMs = 50;

/** Runs one command line (without the program's own name). Never rejects. */
export async function main(argv: string[]): Promise<number> {
  const line = cutLine(argv);
  const stderr = stderrSink();
  let code: number;
  try {
    const routed = await route(line);
    if (routed.kind === "run") {
      const cwd = currentFolder(routed.parsed.flags);
      const early = routed.command.early?.(routed.parsed, Bun.env);
      code = await run({ ...routed, early, cwd }, openWorld(stderr, await terminals()));
    } else code = await show(routed, openWorld(stderr, await terminals()));
  } catch (error) {
    const json = line.words.includes("--json");
    code = await fail(error, stderr, { json, debug: false, terminal: (await terminals()).stderr });
  }
  await stderr.drain(drainMs);
  return code;
}

// --- internal ---

type World = Omit<Io, "signal" | "cwd">;

function openWorld(raw: StderrSink, terminal: Io["terminal"]): World {
  const status = terminal.stderr ? statusLine(raw, terminal) : undefined;
  const secrets = new Secrets();
  return {
    env: Bun.env,
    stdout: status && terminal.stdout ? status.before(stdoutSink()) : stdoutSink(),
    stderr: redacted(status?.sink ?? raw, secrets),
    terminal,
    readStdin: stdinReader(),
    secrets,
    commands,
    ...(status && {
      status: (line) => status.show(line === undefined ? line : redact(line, secrets)),
      hold: status.hold,
    }),
  };
}

/** Text is redacted by the secrets known so far; a run that has none pays nothing. */
function redacted(under: Sink, secrets: Secrets): Sink {
  return {
    get closed() {
      return under.closed;
    },
    async write(data) {
      if (secrets.isEmpty || typeof data !== "string") return await under.write(data);
      await under.write(redact(data, secrets));
    },
  };
}

interface Run {
  command: Command;
  parsed: Parsed;
  early: EarlyStart | undefined;
  cwd: string;
}

async function run({ command, parsed, early, cwd }: Run, world: World): Promise<number> {
  const { flags } = parsed;
  const controller = new AbortController();
  const json = flags["json"] === true;
  const { status, ...rest } = world;
  const shown = status && !json && flags["quiet"] !== true ? { status } : {};
  const left = Promise.withResolvers<undefined>();
  const end = (reason: HostError) => {
    if (controller.signal.aborted) return left.resolve(undefined);
    controller.abort(reason);
    if (!command.endsItself) setTimeout(() => left.resolve(undefined), leaveMs);
  };
  const interrupt = () => end(cancelled("SIGINT"));
  const io: Io = { ...rest, ...shown, cwd, signal: controller.signal, interrupt };
  using _signals = watchSignals((signal) => end(cancelled(signal)), early ? hangupMs : 0);
  let debug = false;
  try {
    const level = levelOf(flags);
    debug = level === "debug";
    const log = logTo(io, {
      level,
      stderr: flags["stderr"] === true,
      json: flags["events"] === true,
    });
    early?.log.passTo(log);
    using _time = maxTime(flags, end);
    const running = command.run(parsed, io, log, early);
    const code = await Promise.race([running, left.promise]);
    const stands = command.endsItself === true || !controller.signal.aborted;
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

/** Why it ended, with the evidence of what was under way. */
function merged(reason: unknown, error: unknown): unknown {
  if (!isHostError(reason) || !isHostError(error) || error === reason) return reason;
  const facts = { ...error.facts, ...reason.facts };
  const step = reason.code === "timeout" ? stepOf(error.facts) : "";
  return new HostError(reason.code, `${reason.message}${step}`, { facts, cause: error });
}

/** What was under way, as far as it is known. */
function stepOf({ server, method, tool }: Facts): string {
  if (server === undefined) return "";
  if (typeof method !== "string") return ` while server "${server}" was being started`;
  const what = tool === undefined ? method : `${method} of ${tool}`;
  return ` while server "${server}" was to answer ${what}`;
}

function levelOf(flags: Parsed["flags"]) {
  const text = flags["log-level"];
  if (typeof text === "string") return readLevel(text);
  return flags["quiet"] === true ? "error" : "warn";
}

function cancelled(signal: string): HostError {
  const words = { SIGINT: "interrupted", SIGTERM: "terminated", SIGHUP: "hung up" }[signal];
  return new HostError("cancelled", `${words ?? "ended"} (${signal})`, { facts: { signal } });
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
  const color = world.terminal.stdout && !world.env["NO_COLOR"];
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
