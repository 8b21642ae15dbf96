/** A plain call over the pipes of a process: each message is a line. */
import type { Ahead } from "../../process/ahead.ts";
import type { Io } from "../types.ts";
import type { BegunProcess } from "./begin.ts";
import { callPlainly } from "./call.ts";
import type { PlainEnd, PlainLink } from "./call.ts";
import type { PlainLine } from "./line.ts";
import { rehearse } from "./rehearsal.ts";
import type { Soon } from "./soon.ts";
import type { Talk, TalkEnd } from "./talk.ts";

/** Makes the call of a line by the process that was started for it, if all else is plain as well. */
export async function callByPipe(
  line: PlainLine,
  begun: BegunProcess,
  env: Io["env"],
): Promise<PlainEnd> {
  const { spec, process } = begun;
  const link: PlainLink = {
    kind: "pipe",
    server: spec,
    async converse(talk, soon) {
      if (!process.send(talk.begin())) return undefined;
      rehearse(line);
      return await converse(talk, process, soon);
    },
  };
  const end = await callPlainly(line, link, env);
  begun.known = link.known;
  return end;
}

// --- internal ---

async function converse(talk: Talk, server: Ahead, soon: Soon): Promise<TalkEnd | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
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
      if (step === undefined) return undefined;
      if ("send" in step && step.send === "") continue;
      // What came with the answer is the host's to hear, and perhaps to answer, before anything follows.
      if (text !== "") return undefined;
      if ("text" in step) return step;
      if (step.send.length > sendMax || !server.send(step.send)) return undefined;
    }
  }
}

/** A pipe takes that at once. */
const sendMax = 16_384;
const heardMax = 1_048_576;
