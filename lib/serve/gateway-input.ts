/** What clients of the modern era bring for input rounds (protocol.md 1.9). Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { badParams } from "./gateway-errors.ts";
import type { Question } from "./gateway-types.ts";

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

// --- internal ---

function inOrder(_key: string, value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
