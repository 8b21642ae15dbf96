/** Why a link to a remote server did not come about: it took too long, or was given up. Pure. */
import { HostError } from "../base/errors.ts";

/** `how`: what the server did not do in time, in words that follow its name. */
export function lateOpening(
  server: string,
  timeoutMs: number,
  { how, hint }: { how: string; hint: string },
): HostError {
  return new HostError("server_start", `server "${server}" ${how} within ${timeoutMs} ms`, {
    facts: { server, timeoutMs, sent: false, option: "timeoutMs" },
    hint,
  });
}

/** `cause`: the reason of the signal. */
export function cancelledOpening(server: string, cause: unknown): HostError {
  const text = `the start of server "${server}" was cancelled`;
  return new HostError("cancelled", text, { facts: { server, sent: false }, cause });
}
