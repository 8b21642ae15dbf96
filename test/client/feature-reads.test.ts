/** Resources that are read, prompts that are got and values that are completed, in both eras. */
import { expect, test } from "bun:test";

import { AnswerCache } from "../../lib/client/cache.ts";
import { complete } from "../../lib/client/completion.ts";
import { getPrompt } from "../../lib/client/prompts.ts";
import { isNotFound, readResource } from "../../lib/client/resources.ts";
import { everything, over, refused } from "./features-kit.ts";
import type { Answer } from "./features-kit.ts";
import { metaOf } from "./kit.ts";

for (const era of ["legacy", "modern"] as const) {
  test(`${era}: a resource is read with all that is unknown of it, byte for byte`, async () => {
    const { client, server } = await over(era, {
      "resources/read": ({ params, id }, far) => {
        const contents = [
          { uri: params["uri"], text: "hi" },
          { uri: "b", blob: "AA==" },
        ];
        const result = { contents, _meta: { "a/b": 1 }, later: true };
        // Spaces and an escape stay as they are.
        far.send({ id, result });
      },
    });
    await using _ = client;
    const reply = await readResource(client, "a:1");
    expect(reply.raw()).toBe(
      '{"contents":[{"uri":"a:1","text":"hi"},{"uri":"b","blob":"AA=="}],"_meta":{"a/b":1},"later":true}',
    );
    const sent = server.received.find(({ method }) => method === "resources/read");
    expect(sent?.params["uri"]).toBe("a:1");
    expect(metaOf(sent)).toHaveProperty("progressToken");
  });

  test(`${era}: not found is told by either code`, async () => {
    for (const code of [-32602, -32002]) {
      const { client } = await over(era, {
        "resources/read": (message, far) => refused(message, far, code),
      });
      await using _ = client;
      const error: unknown = await readResource(client, "a:1").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(isNotFound(error)).toBe(true);
    }
    expect(isNotFound(new Error("no"))).toBe(false);
  });

  test(`${era}: a prompt is got with its arguments, and a value completed with what is known`, async () => {
    const { client, server } = await over(era, {
      "prompts/get": ({ params }) => ({ messages: [], got: params["arguments"] }),
      "completion/complete": ({ params }) => {
        const values = Array.from(
          { length: 120 },
          (_unused, i) => `${params["argument"].value}${i}`,
        );
        return { completion: { values: [5, ...values], total: 500, hasMore: false } };
      },
    });
    await using _ = client;
    const args = { a: "1", __proto__: "2" };
    expect((await getPrompt(client, { name: "p", arguments: args })).result["got"]).toEqual({
      a: "1",
    });
    const found = await complete(client, {
      ref: { template: "a:{x}" },
      argument: { name: "x", value: "v" },
      context: { y: "1" },
    });
    expect([found.values.length, found.values[0], found.total, found.hasMore]).toEqual([
      100,
      "v0",
      500,
      true,
    ]);
    const { _meta: _envelope, ...params } =
      server.received.find(({ method }) => method === "completion/complete")?.params ?? {};
    expect(params).toEqual({
      ref: { type: "ref/resource", uri: "a:{x}" },
      argument: { name: "x", value: "v" },
      context: { arguments: { y: "1" } },
    });
  });
}

const asksFirst: Answer = ({ params }) =>
  params["inputResponses"] === undefined
    ? {
        resultType: "input_required",
        inputRequests: { who: { method: "roots/list", params: {} } },
        requestState: "s",
      }
    : { resultType: "complete", contents: [], messages: [], got: params, ttlMs: 60_000 };

test("input rounds work for reading and prompts, and their answers are not kept", async () => {
  const { client, server } = await over(
    "modern",
    { "resources/read": asksFirst, "prompts/get": asksFirst },
    everything,
    { answers: { roots: async () => [{ uri: "file:///a" }] } },
  );
  await using _ = client;
  using cache = new AnswerCache(client);
  for (let time = 0; time < 2; time++) {
    const { result } = await readResource(cache, "a:1");
    expect(result["got"]).toMatchObject({
      uri: "a:1",
      requestState: "s",
      inputResponses: { who: { roots: [{ uri: "file:///a" }] } },
    });
  }
  expect(server.methods().filter((method) => method === "resources/read")).toHaveLength(4);
  const prompt = await getPrompt(client, { name: "p", arguments: { a: "1" } });
  expect(prompt.asked).toBe(true);
  expect(prompt.result["got"]).toMatchObject({ name: "p", arguments: { a: "1" } });
});
