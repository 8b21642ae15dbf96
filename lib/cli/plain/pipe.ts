/** A plain call over the pipes of a process: each message is a line. */
import type { Ahead } from "../../process/ahead.ts";
import type { Soon } from "./soon.ts";
import type { Talk, TalkEnd } from "./talk.ts";

/** Says all that is to be said; undefined where the host must go on. */
export async function converseByPipe(
  talk: Talk,
  server: Ahead,
  soon: Soon,
): Promise<TalkEnd | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  if (!server.send(talk.begin())) return undefined;
  for (;;) {
    const read = await soon.of(server.read());
    if (read === undefined || read.done) return undefined;
    try {
      text += decoder.decode(read.value, { stream: true });
    } catch {
      return undefined;
    }
    if (text.length > heardMax) return undefined;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const step = talk.heard(text.slice(0, end));
      text = text.slice(end + 1);
      if (step === undefined || "text" in step) return step;
      if (step.send.length > sendMax) return undefined;
      if (step.send !== "" && !server.send(step.send)) return undefined;
    }
  }
}

// --- internal ---

/** A pipe takes that at once. */
const sendMax = 16_384;
const heardMax = 1_048_576;
