/**
 * What a server may ask of us, whichever way it asks (a legacy request, a modern input round): what we declare, what we
 * refuse, and who answers. Declares exactly what has an answerer, and never says yes by itself.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { ErrorObject } from "../protocol/jsonrpc.ts";
import type { Capabilities } from "../protocol/mcp.ts";
import { modernRevisions } from "../protocol/modern.ts";
import { namesModes } from "../protocol/modes.ts";
import type { AnswerOptions, Answers } from "./answer-types.ts";

/** The capabilities to declare in a revision (protocol.md 1.2, 1.14). */
export function capabilitiesOf(answers: Answers, revision: string): Capabilities {
  const { roots, elicit, elicitUrl, sample, sampleTools, relay } = answers;
  if (relay !== undefined) return relayedCapabilities(relay.capabilities, revision);
  const modes = namesModes(revision)
    ? { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) }
    : {};
  return {
    ...(roots && { roots: {} }),
    ...(sample && { sampling: sampleTools && namesModes(revision) ? { tools: {} } : {} }),
    ...((elicit || "url" in modes) && { elicitation: modes }),
    ...(modernRevisions.includes(revision) && { extensions }),
  };
}

/** Why we cannot answer, or undefined where we can: nothing declared for it, or a variant that was not declared. */
export function refusalOf(
  method: string,
  params: JsonObject,
  answers: Answers,
): ErrorObject | undefined {
  const { roots, elicit, elicitUrl, sample, sampleTools, relay } = answers;
  if (relay !== undefined) return relayRefusal(method, params, relay.capabilities);
  if (method === "elicitation/create" && (elicit || elicitUrl)) {
    const { mode = "form" } = params;
    const has = (mode === "form" && elicit) || (mode === "url" && elicitUrl);
    return has ? undefined : refusal(`elicitation in this mode was not declared`);
  }
  if (method === "sampling/createMessage" && sample) {
    const wantsTools = (params.tools ?? params.toolChoice) != null;
    return wantsTools && !sampleTools ? refusal("sampling with tools was not declared") : undefined;
  }
  if (method === "roots/list" && roots) return undefined;
  return { code: -32601, message: `${method} is not supported by this client` };
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

// --- internal ---

/** The extensions that we speak (protocol.md 1.17); whatever else a server declares is left alone. */
const extensions = { "io.modelcontextprotocol/tasks": {} };

/** What somebody behind us declares, as a revision says it. */
function relayedCapabilities(declared: Capabilities, revision: string): Capabilities {
  const { roots, sampling, elicitation } = declared;
  const isModern = modernRevisions.includes(revision);
  const modes = modesOf(elicitation);
  const names = namesModes(revision);
  return {
    ...(isObject(roots) && { roots: isModern ? {} : roots }),
    ...(isObject(sampling) && { sampling: names ? sampling : {} }),
    ...((modes.form || (modes.url && names)) && {
      elicitation: names ? { ...(modes.form && { form: {} }), ...(modes.url && { url: {} }) } : {},
    }),
    ...(isModern && { extensions }),
  };
}

/** Without a mode it is forms (protocol.md 1.14). */
function modesOf(elicitation: unknown): { form: boolean; url: boolean } {
  if (!isObject(elicitation)) return { form: false, url: false };
  const url = isObject(elicitation.url);
  return { url, form: isObject(elicitation.form) || !url };
}

function relayRefusal(
  method: string,
  params: JsonObject,
  { roots, sampling, elicitation }: Capabilities,
): ErrorObject | undefined {
  if (method === "elicitation/create" && isObject(elicitation)) {
    const { form, url } = modesOf(elicitation);
    const { mode = "form" } = params;
    if ((mode === "form" && form) || (mode === "url" && url)) return undefined;
    return refusal("elicitation in this mode was not declared");
  }
  if (method === "sampling/createMessage" && isObject(sampling)) {
    const wantsTools = (params.tools ?? params.toolChoice) != null;
    const mayUse = !wantsTools || isObject(sampling.tools);
    return mayUse ? undefined : refusal("sampling with tools was not declared");
  }
  if (method === "roots/list" && isObject(roots)) return undefined;
  return { code: -32601, message: `${method} is not supported by this client` };
}

function refusal(message: string): ErrorObject {
  return { code: -32602, message };
}
