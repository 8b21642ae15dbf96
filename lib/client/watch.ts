/** Who sees how requests end on a link to a server that may change what it speaks, which over HTTP it may. */
import { classifyProbe } from "../protocol/probe.ts";
import type { Peer } from "../transport/peer-types.ts";
import type { Attempt } from "./attempt.ts";
import { discover } from "./greet.ts";
import type { Greeting } from "./greet.ts";
import type { Watch } from "./line.ts";

/** Over HTTP a server may change its revisions, and its era, while we hold a link to it. */
export async function watchOf(
  peer: Peer,
  { codec }: Greeting,
  { plan, options }: Pick<Attempt, "plan" | "options">,
): Promise<Watch | undefined> {
  if (plan.link !== "http") return undefined;
  const { name } = options;
  if (codec.era === "modern") {
    const { watchEra } = await import("./watch-era.ts");
    const remembered = plan.first === undefined;
    return watchEra({ name, remembered, isStill: () => speaks(codec.revision) });
  }
  if (plan.only !== undefined) return undefined;
  let failures = 0;
  let asking: Promise<boolean> | undefined;
  // Many may fail at a time: one question does for all.
  const isModern = () =>
    (asking ??= speaks(plan.modern).finally(() => {
      asking = undefined;
    }));
  return {
    refusal: () => undefined,
    answered() {
      failures = 0;
    },
    async failed(error, method) {
      failures++;
      // Most have an answer.
      const { legacyFailure } = await import("./watch-era.ts");
      return await legacyFailure(error, method, { name, failures, isModern });
    },
  };

  async function speaks(revision: string): Promise<boolean> {
    const asked = { ...options, peer, revision, timeoutMs: plan.startMs };
    const { outcome, error } = await discover(asked);
    const verdict = classifyProbe(outcome, "http");
    if (verdict.kind === "unknown") throw error;
    return verdict.kind === "modern" && verdict.revision === revision;
  }
}
