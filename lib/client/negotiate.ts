/**
 * Finds out which era a server speaks (protocol.md 1.2 to 1.4): `server/discover` first, on the real process; whatever is
 * not modern is greeted by `initialize` on the same link. A process that ended on the probe is opened once more without
 * it. Nothing else is sent before the server is greeted; over HTTP nothing at all to one that is known to be modern.
 */
import { sleep } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import { debug, since } from "../base/log.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { classifyProbe } from "../protocol/probe.ts";
import type { Peer } from "../transport/peer-types.ts";
import { modernBy, modernIn, sendDiscover, sendInitialize } from "./attempt.ts";
import type { Attempt, Probed } from "./attempt.ts";
import type { ConnectOptions, Verdict } from "./connect-types.ts";
import { spoken } from "./greet.ts";
import type { Greeting } from "./greet.ts";
import type { Inbound } from "./inbound.ts";
import type { Watch } from "./line.ts";
import { closeLink, failureOf, isLost, isRefused, openLink } from "./link.ts";
import type { Link } from "./link.ts";
import { planOf, verdictOf } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { watchOf } from "./watch.ts";

/** A greeted server. */
export interface Connection extends Greeting {
  peer: Peer;
  watch: Watch | undefined;
  verdict: Verdict;
}

/**
 * Opens a link and greets the server. The link is closed again if that fails.
 * @throws HostError `server_start` (with exit code, signal, stderr, and what the server said), `usage`, `cancelled`,
 *   and whatever `options.open` throws
 */
export async function negotiate(options: ConnectOptions, inbound: Inbound): Promise<Connection> {
  for (let plan = planOf(options); ; plan = { ...plan, first: "initialize", remembered: false }) {
    const link = await openLink(options, inbound);
    const scope = new AbortController();
    const signal = AbortSignal.any([options.signal, scope.signal]);
    try {
      signal.throwIfAborted();
      const greeting = await greet({ link, plan, options: { ...options, signal } });
      inbound.settled(greeting.codec);
      debug(options.log, options.name, () => greetingText(greeting, link.openedAt));
      if (greeting.codec.era === "legacy" && plan.first !== undefined)
        await confirm(link, plan, signal);
      const watch = await watchOf(link.peer, greeting, { plan, options });
      const known = { peer: link.peer, verdict: verdictOf(greeting, plan, options.verdict) };
      return { ...greeting, ...known, watch };
    } catch (error) {
      const failure = await failureOf(error, link, options);
      await closeLink(link, options.signal);
      if (!link.mayRestart || !isLost(error)) throw failure;
      const text = `${failure.message}; starting it once more without server/discover`;
      debug(options.log, options.name, () => text);
    } finally {
      // Of a server that is remembered nothing was asked.
      if (plan.first !== undefined) scope.abort();
    }
  }
}

// --- internal ---

async function greet(attempt: Attempt): Promise<Greeting> {
  const { plan, options } = attempt;
  if (plan.first === undefined) return rememberedIn(options.verdict, plan[plan.only ?? "modern"]);
  if (plan.first === "server/discover") return await probeFirst(attempt);
  try {
    return await sendInitialize(attempt);
  } catch (error) {
    if (!plan.remembered || !(error instanceof RpcError || isRefused(error))) throw error;
    const text = `remembered as legacy, but initialize was refused (${error.message})`;
    debug(options.log, options.name, () => text);
    return await probeFirst(attempt);
  }
}

/** A server as it was found an earlier time. */
function rememberedIn(verdict: Verdict | undefined, revision: string): Greeting {
  const { capabilities = {}, server = "" } = verdict ?? {};
  const at = server.lastIndexOf("@");
  const serverInfo =
    at < 0 ? undefined : { name: server.slice(0, at), version: server.slice(at + 1) };
  const codec = spoken(revision);
  return { codec, capabilities, serverInfo, instructions: undefined, isRemembered: true };
}

async function probeFirst(attempt: Attempt): Promise<Greeting> {
  const { link, plan, options } = attempt;
  const { signal } = options;
  const isPipe = plan.link === "pipe";
  link.mayRestart = isPipe && plan.only === undefined;
  const probing = sendDiscover(attempt);
  // What is far away gets longer, where it may be either.
  const waitMs = isPipe || plan.only === "modern" ? plan.probeMs : plan.confirmMs;
  const early = await Promise.race([probing, nothingIn(waitMs, signal)]);
  signal.throwIfAborted();
  if (early?.verdict.kind === "unknown") return await despite(early.error, attempt);
  const modern = early && modernIn(early.verdict, options);
  if (modern) return modern;
  const { verdict, error }: Probed = early ?? { verdict: classifyProbe({ kind: "silent" }) };
  const reason = verdict.kind === "legacy" ? verdict.reason : "it is not modern";
  if (verdict.kind === "legacy" && verdict.restart) throw error;
  if (plan.only === "modern") throw error ?? notModern(reason, attempt);
  debug(options.log, options.name, () => `legacy: ${reason}`);
  const greeting = sendInitialize(attempt);
  try {
    return early ? await greeting : await withLate({ probing, greeting }, attempt);
  } catch (refusal) {
    const named = modernBy(refusal);
    if (named === undefined) throw refusal;
    return named;
  }
}

/**
 * A fault says nothing of the era, but some servers have one wherever they are asked for what they do not know. Where
 * `initialize` fails, too, the first error is the one to tell.
 */
async function despite(error: unknown, attempt: Attempt): Promise<Greeting> {
  const status = isHostError(error) ? error.facts.httpStatus : undefined;
  if (attempt.plan.only === "modern" || (status !== 500 && status !== 501)) throw error;
  try {
    return await sendInitialize(attempt);
  } catch (refusal) {
    const named = modernBy(refusal);
    if (named !== undefined) return named;
    attempt.link.waitsFor = "server/discover";
    throw error;
  }
}

/** A late answer to the probe still decides, until `initialize` is answered. */
async function withLate(
  sent: { probing: Promise<Probed>; greeting: Promise<Greeting> },
  { plan, options }: Attempt,
): Promise<Greeting> {
  const { probing, greeting } = sent;
  const late = probing.then(({ verdict }) => modernIn(verdict, options) ?? greeting);
  const greeted = async () => {
    try {
      await greeting;
      // The answer to the probe may have come with it, and before it.
      await nothingIn(0, options.signal);
      return await greeting;
    } catch (refusal) {
      // The refusal of a modern server may have overtaken its answer to the probe: by far, over HTTP.
      if (plan.link === "http") await probing.catch(() => {});
      else if (refusal instanceof RpcError) await nothingIn(plan.graceMs, options.signal);
      throw refusal;
    }
  };
  return await Promise.race([late, greeted()]);
}

/** Over HTTP the answer to this must come before the next request; a pipe takes it at once. Bounded either way. */
async function confirm(link: Link, plan: Plan, signal: AbortSignal): Promise<void> {
  link.waitsFor = "its first request";
  const taken = link.peer.notify("notifications/initialized");
  await Promise.race([taken, nothingIn(plan.confirmMs, signal)]);
  signal.throwIfAborted();
}

function greetingText({ codec, serverInfo }: Greeting, openedAt: number): string {
  const { name = "a server without a name", version } = serverInfo ?? {};
  const who = version === undefined ? name : `${name}@${version}`;
  return `greeted: ${codec.era} ${codec.revision}, ${who}, after ${since(openedAt)}`;
}

function notModern(reason: string, { plan, options }: Attempt): HostError {
  const text = `server "${options.name}" does not speak protocol ${plan.modern}: ${reason}`;
  return new HostError("server_start", text, {
    facts: { server: options.name },
    hint: 'the protocol "modern" was asked for; with "auto" older servers work, too',
  });
}

async function nothingIn(ms: number, signal: AbortSignal): Promise<undefined> {
  await sleep(ms, signal).catch(() => {});
  return undefined;
}
