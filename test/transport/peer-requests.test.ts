/** One JSON-RPC link: requests, their ids and params, and the answer or the error of each. */
import { describe, expect, test } from "bun:test";

import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { failure, farSide, minute } from "./peers.ts";

test("requests carry ids from 1, and each gets its own answer and its exact text", async () => {
  await using far = farSide();
  const [a, b] = [far.peer.request("a", {}, minute), far.peer.request("b", { x: 1 }, minute)];
  await far.say({ id: 2, result: { b: 1 } });
  await far.say({ id: 1, result: { a: 1 } });
  expect((await a).response.result).toEqual({ a: 1 });
  expect((await b).text).toBe('{"jsonrpc":"2.0","id":2,"result":{"b":1}}');
  expect(far.got).toEqual([
    { jsonrpc: "2.0", id: 1, method: "a", params: {} },
    { jsonrpc: "2.0", id: 2, method: "b", params: { x: 1 } },
  ]);
});

test("params may be made from the id", async () => {
  await using far = farSide({ script: ({ params }) => ({ result: params }) });
  const { response } = await far.peer.request(
    "a",
    (id) => ({ _meta: { progressToken: id } }),
    minute,
  );
  expect(response.result).toEqual({ _meta: { progressToken: 1 } });
});

test("params that throw reject the request, and the id is still free", async () => {
  await using far = farSide({ script: () => ({ result: {} }) });
  const broken = far.peer.request(
    "a",
    () => {
      throw new Error("bad params");
    },
    minute,
  );
  expect((await failure(broken)).message).toBe("bad params");
  expect((await far.peer.request("b", {}, minute)).response.id).toBe(1);
});

describe("errors", () => {
  test("of the far side come as they are, code 0 too", async () => {
    await using far = farSide({ script: () => ({ error: { code: 0, message: "no", data: [0] } }) });
    const error = await failure(far.peer.request("a", {}, minute));
    expect(error).toBeInstanceOf(RpcError);
    expect([error.code, error.message, error.data]).toEqual([0, "no", [0]]);
  });

  test("an answer with neither result nor error fails its request", async () => {
    await using far = farSide({ script: () => ({}) });
    const error = await failure(far.peer.request("tools/list", {}, minute));
    expect(error).toMatchObject({ code: "rpc_error", facts: { server: "srv", sent: true } });
    expect(error.message).toBe(
      'server "srv" answered tools/list with neither a result nor an error',
    );
  });

  test("what cannot be written as JSON is not sent", async () => {
    await using far = farSide({ script: () => ({ result: {} }) });
    const error = await failure(far.peer.request("a", { x: 1n as never }, minute));
    expect(error).toMatchObject({ code: "usage", facts: { sent: false } });
    await far.peer.request("b", {}, minute);
  });
});

test("onSent is called once, when the request was handed over; what it throws does no harm", async () => {
  const gate = Promise.withResolvers<void>();
  await using far = farSide({ send: () => gate.promise });
  let sent = 0;
  const onSent = () => {
    sent++;
    throw new Error("mine");
  };
  const answer = far.peer.request("a", {}, { ...minute, onSent });
  await far.say({ method: "notifications/cancelled" });
  await far.logged("cancelled ignored");
  expect(sent).toBe(0);
  gate.resolve();
  await far.logged("mine");
  await far.say({ id: 1, result: {} });
  await answer;
  expect(sent).toBe(1);
});

test("100 requests in flight, answered in reverse", async () => {
  await using far = farSide();
  const answers = Array.from({ length: 100 }, () => far.peer.request("a", {}, minute));
  for (let id = 100; id > 0; id--) await far.say({ id, result: { id } });
  const ids = (await Promise.all(answers)).map(({ response }) => response.result);
  expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => ({ id: index + 1 })));
});
