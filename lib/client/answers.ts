/**
 * What a server may ask of us, whichever way it asks (a legacy request, a modern input round): what we refuse, and who
 * answers. It never says yes by itself.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { invalidParams, methodNotFound } from "../protocol/jsonrpc.ts";
import type { ErrorObject } from "../protocol/jsonrpc.ts";
import type { AnswerOptions, Answers } from "./answer-types.ts";
import { modesOf } from "./declared.ts";

/** Why we cannot answer, or undefined where we can: nothing declared for it, or a variant that was not declared. */
export function refusalOf(
  method: string,
  params: JsonObject,
  answers: Answers,
): ErrorObject | undefined {
  const can = abilitiesOf(answers);
  if (method === "elicitation/create" && (can.form || can.url)) {
    const { mode = "form" } = params;
    if ((mode === "form" && can.form) || (mode === "url" && can.url)) return undefined;
    return refusal("elicitation in this mode was not declared");
  }
  if (method === "sampling/createMessage" && can.sample) {
    const wantsTools = (params.tools ?? params.toolChoice) != null;
    return wantsTools && !can.tools ? refusal("sampling with tools was not declared") : undefined;
  }
  if (method === "roots/list" && can.roots) return undefined;
  return { code: methodNotFound, message: unsupported(method) };
}

/** The option of the host that would have such a request answered; undefined where none of the command line would. */
export function answererOf(method: string, { mode }: JsonObject): string | undefined {
  if (method !== "elicitation/create") return undefined;
  return mode === "url" ? "elicitUrl" : "answers";
}

/**
 * The protocol's own result for a request that `refusalOf` does not refuse, checked before it is given back. Whatever the
 * answerer throws goes through.
 * @throws RpcError the request itself is faulty, or its answerer would not have it
 */
export async function answerTo(
  method: string,
  params: JsonObject,
  options: AnswerOptions,
): Promise<JsonObject> {
  const { roots, sample, relay } = options.answers;
  if (relay !== undefined) {
    const { name: server, signal } = options;
    return await relay.ask(method, params, { server, signal });
  }
  if (method === "roots/list" && roots) return { roots: await roots(options.name) };
  if (method === "sampling/createMessage" && sample) {
    const { answerSample } = await import("./sampling.ts");
    return await answerSample(params, options);
  }
  const { answerForm, answerUrl } = await import("./elicitation.ts");
  return await (params.mode === "url" ? answerUrl : answerForm)(params, options);
}

/** How a request that nothing was declared for is refused; some servers hand it on as the error of a call. */
export function unsupported(method: string): string {
  return `${method} is not supported by this client`;
}

// --- internal ---

/** What may be asked of whoever answers here, or of somebody behind us as it declares it. */
function abilitiesOf({ roots, elicit, elicitUrl, sample, sampleTools, relay }: Answers) {
  if (relay === undefined)
    return { roots, form: elicit, url: elicitUrl, sample, tools: sampleTools };
  const { roots: lists, sampling, elicitation } = relay.capabilities;
  const tools = isObject(sampling) && isObject(sampling.tools);
  return { roots: isObject(lists), ...modesOf(elicitation), sample: isObject(sampling), tools };
}

function refusal(message: string): ErrorObject {
  return { code: invalidParams, message };
}
