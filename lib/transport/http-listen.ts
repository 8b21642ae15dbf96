/**
 * The stream that a legacy server may offer for what belongs to no request: opened by GET behind the handshake, opened
 * again when it ends, and given up quietly where it is not offered (protocol.md 1.6). That the session, or the server, is gone
 * shows here first where nothing else is asked: the link ends, so that whoever listens can connect anew. Loaded behind the
 * handshake.
 */
import { sleep } from "../base/async.ts";
import { debug } from "../base/log.ts";
import type { Absent } from "./http-stream.ts";
import type { Link } from "./http-types.ts";
import { StreamState } from "./stream-state.ts";

/** Returns when the server offers no stream (any more); rejects when `signal` fires. `onOpen` is called at its first answer. */
export async function listen(link: Link, signal: AbortSignal, onOpen: () => void): Promise<void> {
  const say = (text: string) => debug(link.options.log, link.options.name, () => text);
  const first = await link.get(undefined, signal);
  onOpen();
  if (!first.ok || !isStream(first)) {
    await first.body?.cancel().catch(() => {});
    return say(`it offers no stream of its own (HTTP ${first.status})`);
  }
  const { absencesMax, attemptsMax, connect, isAbsent, readConnection, waitOf } =
    await import("./http-stream.ts");
  const state = new StreamState();
  let response: Response | "failed" | Absent = first;
  let absences = 0;
  for (let failures = 0; ;) {
    failures++;
    absences = isAbsent(response) ? absences + 1 : 0;
    if (isAbsent(response)) {
      if (absences >= absencesMax) return link.loseServer(response.absent);
    } else if (response !== "failed") {
      const openedAt = performance.now();
      const { isNew } = await readConnection(response, state, { link });
      if (isNew || performance.now() - openedAt > longMs) failures = 0;
    }
    if (failures >= attemptsMax) return say("its own stream ended too often: not opened again");
    await sleep(waitOf(state, Math.max(0, failures - 1), link), signal);
    const next = await connect(state, link, signal);
    if (next === "refused") return say("its own stream is not offered any more");
    if (next === "forgotten") return say("its own stream is refused: the session is lost");
    response = next;
  }
}

// --- internal ---

/** A stream that lived so long was no failure, though it brought nothing. */
const longMs = 10_000;

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;
}
