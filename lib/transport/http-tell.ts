/**
 * What a server says to a message that has no answer (a notification, an answer of ours), where it says anything: what it
 * brought is handed on, a refusal is logged, and neither ever fails the link, but for a lost session. Loaded when needed.
 */
import { readExcerpt, typeOf } from "./http-body.ts";
import { clean } from "./http-facts.ts";
import { isSessionLost } from "./http-refusal.ts";
import type { Link } from "./http-types.ts";

/** `what`: the message, for the log; `hadSession`: it carried a session id. */
export async function readRemark(
  response: Response,
  { what, hadSession, link }: { what: string; hadSession: boolean; link: Link },
): Promise<void> {
  const { name, log } = link.options;
  const { status } = response;
  if (response.ok && typeOf(response) === "text/event-stream") {
    const { newStream, readConnection } = await import("./http-stream.ts");
    await readConnection(response, newStream(), { link });
    return;
  }
  const text = await readExcerpt(response, { bytesMax: bodyBytesMax, ms: link.times.refusalMs });
  if (!response.ok) {
    const excerpt = clean(text);
    const shown = excerpt === "" ? "" : `: ${excerpt}`;
    log({ level: "warn", server: name, text: `it refused ${what} (HTTP ${status})${shown}` });
  }
  if (hadSession && isSessionLost(status, text, [])) link.loseSession(status);
}

// --- internal ---

const bodyBytesMax = 65_536;
