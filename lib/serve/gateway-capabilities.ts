/** What clients of the modern era can be asked in the name of servers, and what not (protocol.md 2.2, 2.6). Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { refusalOf } from "../client/answers.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { missingCapability } from "../protocol/meta.ts";
import type { Downstream } from "./gateway-types.ts";

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

/** The error (-32021) of a request whose server asks for what its client does not declare; undefined where it does. */
export function undeclaredIn(
  inputRequests: Json | undefined,
  capabilities: JsonObject = {},
): RpcError | undefined {
  const answers = { relay: { capabilities, ask: async () => ({}) } };
  for (const asked of isObject(inputRequests) ? Object.values(inputRequests) : []) {
    if (!isObject(asked)) continue;
    const params = isObject(asked.params) ? asked.params : {};
    const method = String(asked.method);
    if (refusalOf(method, params, answers) === undefined) continue;
    return new RpcError({
      code: missingCapability,
      message: `the server asks for ${method}, which the client does not declare`,
      data: { requiredCapabilities: requiredBy(method, params) },
    });
  }
  return undefined;
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
