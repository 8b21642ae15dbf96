/** What is known across copies of the module: the shipped bundle has several. */
import { expect, test } from "bun:test";

import { RpcError } from "../../lib/protocol/jsonrpc.ts";

test("an error of a peer is one in every copy of its module", async () => {
  const path = `${import.meta.dir}/../../lib/protocol/jsonrpc.ts?copy`;
  const copy = (await import(path)) as { RpcError: typeof RpcError };
  expect(copy.RpcError).not.toBe(RpcError);
  const error = { code: -32602, message: "no" };
  expect(new copy.RpcError(error)).toBeInstanceOf(RpcError);
  expect(new RpcError(error)).toBeInstanceOf(copy.RpcError);
  expect(new Error("no")).not.toBeInstanceOf(RpcError);
  expect(Object.assign(new Error("no"), error)).not.toBeInstanceOf(RpcError);
});
