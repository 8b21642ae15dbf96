/** A plain call over the pipes of a process: each message is a line. */
import type { JsonObject } from "../../base/json.ts";
import type { Ahead } from "../../process/ahead.ts";
import { newestLegacy } from "../../protocol/codecs.ts";
import type { Io } from "../types.ts";
import type { BegunProcess } from "./begun.ts";
import { callPlainly } from "./call.ts";
import type { PlainEnd, PlainLink, Soon } from "./call.ts";
import type { PlainLine } from "./line.ts";
import { Talk } from "./talk.ts";
import type { PlainCall, TalkEnd } from "./talk.ts";

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

/**
 * Says all that a plain call says to nobody, as if it were answered, for who waits for a server: what is compiled by that need
 * not be when it has answered.
 */
function rehearse(call: PlainCall): void {
  const talk = new Talk(call, { era: "legacy", revision: newestLegacy });
  talk.begin();
  const properties: JsonObject = {};
  for (const part of call.parts) if ("key" in part) properties[part.key] = { type: "string" };
  const tools = [{ name: call.tool, inputSchema: { type: "object", properties } }];
  let id = 0;
  for (const result of [
    { capabilities: {} },
    { tools },
    { content: [{ type: "text", text: "-" }] },
  ])
    talk.heard(JSON.stringify({ jsonrpc: "2.0", id: (id += 1), result }));
}

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
