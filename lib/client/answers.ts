/**
 * What a server may ask of us, whichever way it asks (a legacy request, a modern input round): what we declare, what we
 * refuse, and who answers. Declares exactly what has an answerer, and never answers by itself.
 */
import type { JsonObject } from "../base/json.ts";
import type { ErrorObject } from "../protocol/jsonrpc.ts";
import type { Capabilities } from "../protocol/mcp.ts";
import type { Answers } from "./types.ts";

/**
 * The capabilities to declare. `elicitation: {}` means forms only in every revision that has it, and those before
 * ignore it (protocol.md 1.2, 1.14).
 */
export function capabilitiesOf(answers: Answers): Capabilities {
  return {
    ...(answers.roots && { roots: {} }),
    ...(answers.sample && { sampling: {} }),
    ...(answers.elicit && { elicitation: {} }),
  };
}

/** Why we cannot answer, or undefined where we can: nothing declared for it, or a variant that was not declared. */
export function refusalOf(
  method: string,
  params: JsonObject,
  answers: Answers,
): ErrorObject | undefined {
  if (!answererOf(method, answers)) {
    return { code: -32601, message: `${method} is not supported by this client` };
  }
  if (method === "elicitation/create" && (params.mode ?? "form") !== "form") {
    return { code: -32602, message: "only elicitation in form mode was declared" };
  }
  if (method === "sampling/createMessage" && (params.tools ?? params.toolChoice) != null) {
    return { code: -32602, message: "sampling with tools was not declared" };
  }
  return undefined;
}

/** The protocol's own result for a request that `refusalOf` does not refuse. Whatever the answerer throws goes through. */
export async function answerTo(
  method: string,
  params: JsonObject,
  options: { answers: Answers; signal: AbortSignal },
): Promise<JsonObject> {
  const answer = answererOf(method, options.answers);
  if (!answer) throw new Error(`nobody answers ${method}`);
  return await answer(params, options.signal);
}

// --- internal ---

type Answerer = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

function answererOf(method: string, answers: Answers): Answerer | undefined {
  const { roots, elicit, sample } = answers;
  if (method === "roots/list") return roots && (async () => ({ roots: await roots() }));
  if (method === "elicitation/create") return elicit;
  if (method === "sampling/createMessage") return sample;
  return undefined;
}
