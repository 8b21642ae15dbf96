/** What became of a tool call, as its client is told: the text of a result, byte for byte where the client takes it so, or an error. Pure. */
import { clip } from "../base/clip.ts";
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import { invalidParams, RpcError } from "../protocol/jsonrpc.ts";
import { badParams, textForModel, toRpcError } from "./gateway-errors.ts";
import { ownText, resultText } from "./gateway-results.ts";
import type { Downstream, Made, Question, Scope } from "./gateway-types.ts";
import { errorBody } from "./http-error.ts";
import type { HttpError } from "./http-error.ts";
import { refusalOf } from "./tools-refusal.ts";

/** A call that is over. */
interface Ended {
  question: Question;
  /** As the client calls it. */
  name: string;
  /** The name means a tool to the client. */
  isKnown: boolean;
}

/** What is made of it. @throws RpcError */
export function madeOf(outcome: Outcome, { question: { from }, name, isKnown }: Ended): Made {
  if (outcome.error !== undefined) {
    const { scope } = from;
    const refusal = refusalOf(outcome, { name, caller: scope, isKnown });
    if (refusal?.status === 404 || refusal?.status === 400) refuse(refusal, name, scope);
  }
  return outcome.status === "input_required" ? { input: outcome } : textOf(outcome, from);
}

// --- internal ---

/** A name that means nothing to this client, or several tools. @throws RpcError */
function refuse(refusal: HttpError, name: string, { server }: Scope): never {
  const { code: _, message, ...help } = errorBody(refusal);
  const isUnknown = refusal.status === 404;
  const told = isUnknown ? `no tool is called ${JSON.stringify(clip(name, nameMax))}` : message;
  // Its client has no routes.
  if (isUnknown && help["nearest"] === undefined)
    help["hint"] = "tools/list has those that there are";
  // What helps is told by longer names than the client of one server knows.
  if (server !== undefined) badParams(told);
  const data = { code: "usage", ...help } as JsonObject;
  throw new RpcError({ code: invalidParams, message: told, data });
}

/** Characters of a client's own name for a tool. */
const nameMax = 200;

/** @throws RpcError */
function textOf(outcome: Outcome, from: Downstream): string {
  const { knows } = from;
  if ("result" in outcome && outcome.result !== undefined)
    return resultText(outcome, knows, { shape: "tool" });
  // Nobody of ours detaches a call.
  if (outcome.status === "detached") throw toRpcError(undefined, from);
  const { error } = outcome as { error: HostError };
  const text = textForModel(error);
  if (text === undefined) throw toRpcError(error, from);
  return ownText({ content: [{ type: "text", text }], isError: true }, knows);
}
