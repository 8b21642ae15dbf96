/**
 * A server that said nothing while a request ran out: whether it is there at all, and how its end is told. Loaded once that
 * happened. A server that is slow with one call answers a ping.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { McpClient } from "../client/types.ts";

/** True unless a ping ran out, too, and nothing was heard in that time either. Never throws. */
export async function isThere(
  client: Pick<McpClient, "ping">,
  {
    pingMs: timeoutMs = pingMsDefault,
    signal,
  }: { pingMs: number | undefined; signal: AbortSignal },
): Promise<boolean> {
  try {
    await client.ping({ timeoutMs, signal });
    return true;
  } catch (error) {
    // Whatever else goes wrong with a link is noticed and told elsewhere.
    return !isHostError(error) || error.code !== "timeout" || error.facts["silent"] !== true;
  }
}

/** How its life ended. */
export const muteText = "it answered nothing, not even a ping";
/** For the log. */
export const muteLog = `${muteText}: it is stopped, and its next use starts it again`;
/** What its calls are told behind its name. */
export const muteEnd = "answered nothing, not even a ping, and was stopped";

/** What it is left with. */
export function muteError(server: string): HostError {
  return new HostError("server_exit", `server "${server}" ${muteEnd}`, {
    facts: { server },
    hint: "its next use starts it again",
  });
}

// --- internal ---

/** Long: one that does a thing at a time and is at work does not hear us either. */
const pingMsDefault = 15_000;
