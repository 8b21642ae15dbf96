/**
 * What is sent to find out how to speak to a server, on one link: the probe, asked again where it was refused for its
 * revision, and the handshake. What follows from either is decided elsewhere (negotiate.ts).
 */
import { HostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { unsupportedVersion } from "../protocol/meta.ts";
import { classifyProbe } from "../protocol/probe.ts";
import type { ProbeVerdict } from "../protocol/probe.ts";
import type { ConnectOptions } from "./connect-types.ts";
import { discover, initialize, spoken } from "./greet.ts";
import type { Greeting } from "./greet.ts";
import type { Link } from "./link.ts";
import type { Plan } from "./plan.ts";

/** One link, how to go about it, and options whose signal ends with the negotiation. */
export interface Attempt {
  link: Link;
  plan: Plan;
  options: ConnectOptions;
}

/** How the probe ended and what follows; the error that said so, if one did. */
export interface Probed {
  verdict: ProbeVerdict;
  error?: unknown;
}

/** The probe, at most twice. @throws as `discover`; the error of a server that refuses for another reason than its revision */
export async function sendDiscover({ link, plan, options }: Attempt): Promise<Probed> {
  link.waitsFor = "server/discover";
  const ask = async (revision: string) => {
    debug(options.log, options.name, () => `server/discover with ${revision} is sent`);
    // On a pipe longer than anybody waits, so that a late answer is still seen.
    const isPipe = plan.link === "pipe";
    const timeoutMs = plan.startMs + (isPipe ? plan.probeMs + plan.graceMs : 0);
    const { outcome, error } = await discover({ ...options, peer: link.peer, revision, timeoutMs });
    return { verdict: classifyProbe(outcome, plan.link), error };
  };
  const first = await ask(plan.modern);
  if (first.verdict.kind !== "retry") return first;
  const { revision } = first.verdict;
  const second = await ask(revision);
  if (second.verdict.kind !== "retry") return second;
  // It speaks our revision, and refuses for another reason.
  if (!isUnsupported(second.error)) throw second.error;
  return { verdict: { kind: "unsupported", supported: [revision] }, error: second.error };
}

/** @throws as `initialize` */
export async function sendInitialize({ link, plan, options }: Attempt): Promise<Greeting> {
  link.waitsFor = "initialize";
  const leftMs = Math.max(plan.startMs - (performance.now() - link.openedAt), plan.graceMs);
  const timeoutMs = plan.link === "pipe" ? leftMs : plan.startMs;
  const revision = plan.legacy;
  debug(options.log, options.name, () => {
    return `initialize with ${revision} is sent${plan.remembered ? ", as remembered" : ""}`;
  });
  const greeting = await initialize({ ...options, peer: link.peer, revision, timeoutMs });
  link.mayRestart = false;
  if (options.protocol === revision && greeting.codec.revision !== revision) {
    const text = `it was asked for protocol ${revision} and speaks ${greeting.codec.revision}`;
    options.log({ level: "warn", server: options.name, text });
  }
  return greeting;
}

/** The greeting that a modern verdict carries. @throws HostError `server_start`: modern, but not of our revisions */
export function modernIn(verdict: ProbeVerdict, { name }: ConnectOptions): Greeting | undefined {
  if (verdict.kind === "modern") {
    const { capabilities, serverInfo, instructions } = verdict.discovered;
    return { codec: spoken(verdict.revision), capabilities, serverInfo, instructions };
  }
  if (verdict.kind !== "unsupported") return undefined;
  const { supported } = verdict;
  const text = `server "${name}" speaks only protocol revisions that we do not: ${supported.join(", ")}`;
  throw new HostError("server_start", text, {
    facts: { server: name, supported },
    hint: "a newer version of this program may speak them",
  });
}

/**
 * The greeting of a server that refused `initialize` as one of the modern era and named a revision that we speak: its answer to
 * the probe was none, but every request tells it all that it must know. Undefined: the refusal says no such thing.
 */
export function modernBy(refusal: unknown): Greeting | undefined {
  if (!(refusal instanceof RpcError) || refusal.code !== unsupportedVersion) return undefined;
  const verdict = classifyProbe({ kind: "error", error: refusal });
  if (verdict.kind !== "retry") return undefined;
  const unknown = { serverInfo: undefined, instructions: undefined };
  return { codec: spoken(verdict.revision), capabilities: {}, ...unknown };
}

// --- internal ---

function isUnsupported(error: unknown): boolean {
  return error instanceof RpcError && error.code === unsupportedVersion;
}
