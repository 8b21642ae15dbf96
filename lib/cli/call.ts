/** One tool call of the command line: its arguments made to fit, its result on stdout (cli.md, call). Words in, words out. */
import { exitCodeOf, HostError, isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Outcome } from "../hooks/call.ts";
import { fitArguments } from "../host/arguments.ts";
import type { ArgumentPart } from "../host/arguments.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { CallRequest } from "../host/types.ts";
import { textOf } from "./flags.ts";
import { afterCall } from "./io.ts";
import { openFromFlags } from "./open.ts";
import type { Opened } from "./open.ts";
import { printResult } from "./print.ts";
import { meter } from "./progress.ts";
import type { EarlyStart, Io, Parsed } from "./types.ts";

export interface CallLine {
  tool: string;
  parts: ArgumentPart[];
  parsed: Parsed;
  /** The server, where it could be started before all this was loaded. */
  early: EarlyStart | undefined;
}

/** Calls, prints, and returns the exit status. @throws HostError */
export async function callTool(line: CallLine, io: Io, log: Log): Promise<number> {
  const { tool, parts, parsed, early } = line;
  await using opened = await openFromFlags(parsed, io, log, early);
  const { servers } = opened.config;
  const [only] = servers;
  const validate = parsed.flags["no-validate"] !== true;
  if (only && servers.length === 1) {
    // The tools of a plugin may be all that is asked for.
    if (validate && opened.plugins === undefined) opened.host.begin(only.name);
    else opened.host.warm(only.name);
    // One turn later it was greeted, if it runs: it answers while we load the desk.
    await new Promise(setImmediate);
  }
  let target = validate ? await resolve(opened, tool, io.signal) : undefined;
  const called = target?.name ?? tool;
  const detach = parsed.flags["detach"] === true;
  const attempt = async (): Promise<Outcome> => {
    const fitted = fittedOr(parts, target?.inputSchema ?? {}, called);
    if (isHostError(fitted)) return { status: "failed", error: fitted, sent: false, durationMs: 0 };
    const request = { actor: "user", signal: io.signal, tool: called, validate, detach } as const;
    return await callWithMeter(opened.host, { ...request, arguments: fitted }, parsed, io);
  };
  let outcome = await attempt();
  if (target && "error" in outcome && outcome.error?.code === "usage") {
    // What did not fit an old list may mean something by the new one.
    const now = await opened.host.resolve(called, { signal: io.signal, anew: true });
    if (now !== target) {
      target = now;
      outcome = await attempt();
    }
  }
  if (outcome.status === "detached") {
    const { keepDetached } = await import("./detach.ts");
    const detached = { ...outcome, tool: target?.tool ?? tool };
    await keepDetached(detached, { opened, parsed, io, log });
    return 0;
  }
  if ("result" in outcome && outcome.result !== undefined) {
    if (detach) log({ level: "warn", text: `${called} was done at once: there is no task` });
    const about = { tool, ...target };
    const refusal = await refusalOf(outcome, about, { parsed, log });
    const status = await finish(outcome, { ...about, refusal }, parsed, io);
    if (outcome.status === "failed") await tellOldWay(outcome, about, opened.host, log);
    return status;
  }
  throw await (await import("./cause.ts")).cause(outcome.error, opened, tool);
}

// --- internal ---

function fittedOr(...given: Parameters<typeof fitArguments>): JsonObject | HostError {
  try {
    return fitArguments(...given);
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
}

async function resolve(opened: Opened, tool: string, signal: AbortSignal) {
  try {
    return await opened.host.resolve(tool, { signal });
  } catch (error) {
    // The call itself is denied, too, and written down as that; but who did not trust a server is not asked again.
    if (isHostError(error) && error.code === "denied" && isOfTool(error)) return undefined;
    throw await (await import("./cause.ts")).cause(error, opened, tool);
  }
}

/** It says which tool it would have been. */
function isOfTool({ facts }: HostError): boolean {
  return facts.server !== undefined && facts.tool !== undefined;
}

async function callWithMeter(
  host: OpenedHost,
  request: CallRequest,
  { flags }: Parsed,
  io: Io,
): Promise<Outcome> {
  const progress = meter(io, {
    label: request.tool,
    events: flags["events"] === true,
  });
  if (progress === undefined) return await host.call(request);
  try {
    return await host.call({ ...request, onProgress: (step) => progress.update(step) });
  } finally {
    progress.end();
  }
}

type Answered = Extract<Outcome, { raw: string }>;

/** Which tool it was: its own name, where that is known, and whose it is. */
interface Called {
  tool: string;
  server?: string | undefined;
  /** Why its result is not taken. */
  refusal?: HostError | undefined;
}

/** Prints what a call was answered, and returns its exit status. @throws HostError `output`, and `refusal` */
export async function finish(
  outcome: Answered,
  { tool, refusal }: Called,
  { flags }: Parsed,
  io: Io,
) {
  const json = flags["json"] === true;
  const options = {
    tool,
    json,
    quiet: flags["quiet"] === true,
    refused: refusal !== undefined,
    output: textOf(flags["output"]),
    save: textOf(flags["save"]),
  };
  try {
    await printResult(outcome, options, io);
  } catch (error) {
    throw afterCall(error);
  }
  if (refusal) throw refusal;
  if (outcome.status === "completed") return 0;
  const error = new HostError("tool_error", `the tool ${tool} answered with an error`, {
    facts: { tool },
  });
  if (json) {
    const { report } = await import("./report.ts");
    await io.stderr.write(report(error, { json, debug: false, terminal: io.terminal.stderr }));
  }
  return exitCodeOf(error);
}

/** A tool may hand on as its own result that it could not ask. */
async function tellOldWay(
  { raw }: Answered,
  { server }: Called,
  host: OpenedHost,
  log: Log,
): Promise<void> {
  const { oldWayHint } = await import("./old-ways.ts");
  const text = oldWayHint(raw, server, host.servers());
  if (text !== undefined) log({ level: "warn", ...(server !== undefined && { server }), text });
}

/** A result that is not what its tool promised is told of; with `--strict` it is refused. */
async function refusalOf(
  outcome: Answered,
  { tool, server }: Called,
  context: { parsed: Parsed; log: Log },
): Promise<HostError | undefined> {
  if (outcome.status !== "completed" || outcome.outputMismatch === undefined) return undefined;
  const { tellMismatch } = await import("./mismatch.ts");
  return tellMismatch({ server, tool, problems: outcome.outputMismatch }, context);
}
