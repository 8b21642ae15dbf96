/** The guard, with a note in the audit log of whoever tries to decide about a call without a token. */
import { createGuard } from "./guard.ts";
import type { Guard, GuardOptions } from "./guard.ts";
import { isHttpError } from "./http-error.ts";
import type { ServeContext } from "./types.ts";

/** As `createGuard`. */
export function noted(
  { approvals, now, log }: Pick<ServeContext, "approvals" | "now" | "log">,
  options: GuardOptions,
): Guard {
  const guard = createGuard(options);
  if (approvals === undefined) return guard;
  const note = async (request: Request, reason: string) => {
    const { pathname } = new URL(request.url);
    const [, kind, id = ""] = pathname.split("/");
    const what = kind === "calls" ? id : pathname;
    const detail = { method: request.method, path: pathname.slice(0, 200), reason };
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
