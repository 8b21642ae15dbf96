/** What clients of the modern era bring for input rounds, and what they may be asked in them (protocol.md 1.9, 2.2). Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { refusalOf } from "../client/answers.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { missingCapability } from "../protocol/meta.ts";
import { badParams } from "./gateway-errors.ts";
import type { Downstream, Question } from "./gateway-types.ts";

/**
 * What a client declares of what servers may ask, in the same words whoever says it; undefined: nothing. Unknown names are
 * left out, so that there are few of them.
 */
export function answering({ capabilities = {} }: Downstream): JsonObject | undefined {
  const { sampling, elicitation, roots } = capabilities;
  if (!isObject(sampling) && !isObject(elicitation) && !isObject(roots)) return undefined;
  return {
    ...(isObject(sampling) && { sampling: named(sampling, "tools", "context") }),
    ...(isObject(elicitation) && { elicitation: named(elicitation, "form", "url") }),
    ...(isObject(roots) && { roots: {} }),
  };
}

/** The answers that a request brings. @throws RpcError -32602 */
export function responsesIn({ inputResponses }: JsonObject): JsonObject | undefined {
  if (inputResponses == null) return undefined;
  if (!isObject(inputResponses)) badParams("inputResponses is an object");
  return inputResponses;
}

/** What a sealed state belongs to: the request without what a later round adds, whatever the order of its members. */
export function purposeOf({ method, params, from }: Question): string {
  const { inputResponses: _, requestState: __, _meta: ___, ...rest } = params;
  const text = JSON.stringify([method, from.scope.server ?? null, rest], inOrder);
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url");
}

/** @throws RpcError -32021 where a server asks for what the client does not declare */
export function checkAsked({ inputRequests }: JsonObject, capabilities: JsonObject): void {
  const answers = { relay: { capabilities, ask: async () => ({}) } };
  for (const asked of isObject(inputRequests) ? Object.values(inputRequests) : []) {
    if (!isObject(asked)) continue;
    const params = isObject(asked.params) ? asked.params : {};
    const method = String(asked.method);
    if (refusalOf(method, params, answers) === undefined) continue;
    throw new RpcError({
      code: missingCapability,
      message: `the server asks for ${method}, which the client does not declare`,
      data: { requiredCapabilities: requiredBy(method, params) },
    });
  }
}

// --- internal ---

/** Of the names those that stand there. */
function named(value: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => isObject(value[name])).map((name) => [name, {}]),
  );
}

function requiredBy(method: string, { mode = "form", tools, toolChoice }: JsonObject): JsonObject {
  if (method === "roots/list") return { roots: {} };
  if (method === "elicitation/create") return { elicitation: { [String(mode)]: {} } };
  if (method !== "sampling/createMessage") return {};
  return { sampling: (tools ?? toolChoice) == null ? {} : { tools: {} } };
}

function inOrder(_key: string, value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
