/** A call by the name that plugins show its tool by. One that they do not offer is denied, and written down as that. */
import type { Call, Outcome } from "../hooks/call.ts";
import { toHostError } from "./failure.ts";
import { keyOf } from "./offering.ts";
import type { Offering } from "./offering.ts";
import type { OpenedHost, OwnedCallRequest } from "./opened-types.ts";
import { failureOf } from "./outcome.ts";
import type { Recorder } from "./record-types.ts";

/** Never rejects. */
export async function callOffered(
  request: OwnedCallRequest,
  { host, lists, record }: { host: OpenedHost; lists: Offering; record: Recorder | undefined },
): Promise<Outcome> {
  const { tool: name, signal, listedOnly } = request;
  const startedAt = performance.now();
  try {
    const shown = await lists.resolve(name, {
      ...(signal && { signal }),
      ...(listedOnly && { listedOnly }),
    });
    return await host.call({ ...request, tool: keyOf(shown), shownAs: shown.name });
  } catch (error) {
    const durationMs = performance.now() - startedAt;
    const outcome = failureOf(toHostError(error, name), { sent: false, durationMs });
    await noteDenied(request, outcome, record);
    request.listener?.onEnd?.(outcome);
    return outcome;
  }
}

// --- internal ---

/** Where it is known which tool it would have been. Never rejects. */
async function noteDenied(
  request: OwnedCallRequest,
  outcome: Outcome,
  record: Recorder | undefined,
): Promise<void> {
  const { server, tool } = outcome.error?.facts ?? {};
  if (outcome.status !== "denied" || server === undefined || tool === undefined) return;
  const { id = crypto.randomUUID(), owner = "default", actor = "user", signal } = request;
  const call: Call = {
    id,
    owner,
    server,
    tool,
    arguments: request.arguments ?? {},
    actor,
    annotations: {},
    signal: signal ?? new AbortController().signal,
  };
  record?.begin(call);
  await call.track?.ended(outcome);
}
