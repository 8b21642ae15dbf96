/** How to begin with a server: what `protocol` asks for and what is remembered, as one decision; and what to remember then. Pure. */
import { HostError } from "../base/errors.ts";
import { eraOf, legacyRevisions, modernRevisions } from "../protocol/codecs.ts";
import type { Era } from "../protocol/mcp.ts";
import type { LinkKind } from "../protocol/probe.ts";
import type { ConnectOptions, Verdict } from "./connect-types.ts";
import type { Greeting } from "./greet.ts";

export interface Plan {
  link: LinkKind;
  /** The first message; undefined: none is needed, since the server is known (`remembered`). */
  first: "server/discover" | "initialize" | undefined;
  /** No other era is tried: one was asked for. */
  only?: Era;
  /** The revisions to ask for. */
  modern: string;
  legacy: string;
  /** How long `server/discover` may stay unanswered before `initialize` is sent beside it, on a pipe. */
  probeMs: number;
  /** For the whole start of one process. */
  startMs: number;
  /** What `initialize` gets at least, however long the probe took. */
  graceMs: number;
  /**
   * How long the server may take to accept `notifications/initialized` before the first request follows all the same; and, of
   * one that is far away, to answer the probe.
   */
  confirmMs: number;
  /** The server is not probed only by memory: if what comes first is refused, the memory is wrong. */
  remembered: boolean;
}

/** What a start may take where nothing says another time. */
export const startDefaultMs = 60_000;

/** What decides how to begin. */
type Known = Pick<
  ConnectOptions,
  "name" | "protocol" | "link" | "probeTimeoutMs" | "startTimeoutMs" | "session" | "verdict"
>;

/** @throws HostError `usage` for a revision that we do not speak */
export function planOf(options: Known): Plan {
  const { name, protocol = "auto", link = "pipe" } = options;
  const { probeTimeoutMs = 1000, startTimeoutMs = startDefaultMs } = options;
  const [modern = "", legacy = ""] = [modernRevisions[0], legacyRevisions[0]];
  const graceMs = Math.min(probeTimeoutMs, startTimeoutMs);
  const plan: Plan = {
    link,
    first: "server/discover",
    modern,
    legacy,
    probeMs: graceMs,
    startMs: startTimeoutMs,
    graceMs,
    confirmMs: Math.min(probeTimeoutMs * 5, startTimeoutMs),
    remembered: false,
  };
  const { session } = options;
  if (session !== undefined && eraOf(session.revision) === "legacy")
    return { ...plan, first: undefined, only: "legacy", legacy: session.revision };
  if (protocol === "auto") {
    const verdict = options.verdict?.stale ? undefined : options.verdict;
    if (verdict?.era === "legacy") return { ...plan, first: "initialize", remembered: true };
    // Each request says all that a modern server must know: over HTTP there is nothing to greet.
    if (verdict && link === "http" && modernRevisions.includes(verdict.revision))
      return { ...plan, first: undefined, modern: verdict.revision, remembered: true };
    // A server known as modern may be slow to start: it gets the time to.
    return verdict ? { ...plan, probeMs: startTimeoutMs } : plan;
  }
  const era = protocol === "legacy" || protocol === "modern" ? protocol : eraOf(protocol);
  if (era === undefined) {
    const known = ["auto", "legacy", "modern", ...modernRevisions, ...legacyRevisions];
    throw new HostError("usage", `server "${name}": unknown protocol ${JSON.stringify(protocol)}`, {
      facts: { server: name, known },
      hint: `write one of ${known.join(", ")}`,
    });
  }
  const revision = protocol === era ? plan[era] : protocol;
  return era === "legacy"
    ? { ...plan, first: "initialize", only: "legacy", legacy: revision }
    : { ...plan, only: "modern", modern: revision, probeMs: startTimeoutMs };
}

/**
 * What to remember: the remembered verdict itself if it still holds. A legacy one that was not checked by a probe is
 * `stale` once the server is another version, since that may speak the modern era, too. An era that was forced teaches
 * nothing.
 */
export function verdictOf(greeting: Greeting, plan: Plan, before: Verdict | undefined): Verdict {
  const { era, revision } = greeting.codec;
  if (plan.only !== undefined) return before ?? { era, revision, stale: true };
  const { name, version } = greeting.serverInfo ?? {};
  const server = name === undefined ? undefined : `${name}@${version}`.slice(0, 200);
  if (before !== undefined && plan.first === undefined) return before;
  const same = before?.era === era && before.revision === revision && before.server === server;
  if (same && !before.stale) return before;
  const unchecked = plan.remembered && era === "legacy";
  return {
    era,
    revision,
    ...(server !== undefined && { server }),
    ...(plan.link === "http" && era === "modern" && { capabilities: greeting.capabilities }),
    ...(unchecked && { stale: true as const }),
  };
}
