/**
 * The guard, with a note in the audit log of whoever tries to decide about a call without a token; of very many a few are
 * written, with how many there were, since who may be refused could fill the log.
 */
import { createGuard } from "./guard.ts";
import type { Guard, GuardOptions } from "./guard.ts";
import { isHttpError } from "./http-error.ts";
import type { ServeContext } from "./types.ts";

/** As `createGuard`. */
export function noted(
  { approvals, now, steady, log }: Pick<ServeContext, "approvals" | "now" | "steady" | "log">,
  options: GuardOptions,
): Guard {
  const guard = createGuard(options);
  if (approvals === undefined) return guard;
  let since = steady();
  let count = 0;
  const note = async (request: Request, reason: string) => {
    if (steady() - since > minuteMs) [since, count] = [steady(), 0];
    count += 1;
    const isOneOfMany = count > eachMax;
    if (isOneOfMany && !/^10+$/.test(String(count))) return;
    const { pathname } = new URL(request.url);
    const [, kind, id = ""] = pathname.split("/");
    const what = kind === "calls" ? id : pathname;
    const detail = {
      method: request.method,
      path: pathname.slice(0, 200),
      reason,
      ...(isOneOfMany && { count }),
    };
    const event = {
      at: now(),
      owner: "default",
      call: what.slice(0, 100),
      event: "refused",
      detail,
    };
    await (await approvals.store()).journal.write({ events: [{ ...event, event: "refused" }] });
  };
  return {
    ...guard,
    get isShared() {
      return guard.isShared;
    },
    admit(request, route) {
      try {
        return guard.admit(request, route);
      } catch (error) {
        if (route?.decides === true && isHttpError(error))
          note(request, error.message).catch((failure: unknown) =>
            log({ level: "debug", text: `not written down: ${String(failure)}` }),
          );
        throw error;
      }
    },
  };
}

// --- internal ---

const minuteMs = 60_000;
/** Of a minute, each is written; then the hundredth, the thousandth and so on. */
const eachMax = 20;
