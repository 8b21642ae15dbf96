/** What the tests of the cache share: a client that answers as told, on a clock that the test moves. */
import type { JsonObject } from "../../lib/base/json.ts";
import { AnswerCache } from "../../lib/client/cache.ts";
import type { McpClient, Reply } from "../../lib/client/types.ts";

/** A client that answers with `answer`, on a clock that the test moves. */
export function faked(
  answer: (method: string, params: JsonObject, count: number) => JsonObject | Promise<JsonObject>,
  { era = "modern", capabilities = {} }: { era?: "modern" | "legacy"; capabilities?: object } = {},
) {
  let count = 0;
  let listener: ((method: string, params: JsonObject) => void) | undefined;
  const clock = { now: 1000 };
  const asked: string[] = [];
  const client = {
    era,
    capabilities,
    async request(method: string, params: JsonObject): Promise<Reply> {
      asked.push(method);
      const { asks, ...result } = await answer(method, params, ++count);
      return { result, raw: () => JSON.stringify(result), ...(asks === true && { asked: true }) };
    },
    onNotification(heard: typeof listener) {
      listener = heard;
      return { [Symbol.dispose]: () => (listener = undefined) };
    },
  } as unknown as McpClient;
  const cache = (options = {}) => new AnswerCache(client, { now: () => clock.now, ...options });
  return { cache, clock, asked, tell: (method: string, params = {}) => listener?.(method, params) };
}

/** An answer that counts how often it was asked for. */
export const counted =
  (more: JsonObject = {}) =>
  (_m: string, _p: JsonObject, n: number) => ({ n, ...more });
