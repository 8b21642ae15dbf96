/** A talk to nobody, for who waits for a server: what is compiled by that need not be when it has answered. */
import type { JsonObject } from "../../base/json.ts";
import { newestLegacy } from "../../protocol/codecs.ts";
import { Talk } from "./talk.ts";
import type { PlainCall } from "./talk.ts";

/** Says all that a plain call says, as if it were answered. */
export function rehearse(call: PlainCall): void {
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
