/** Calls that run as tasks: where they do, what is declared, and that nobody notices. */
import { expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { connect } from "../../lib/client/client.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { readTask, taskSupportOf } from "../../lib/protocol/tasks.ts";
import { metaOf, modernScript, scripted, text } from "./kit.ts";
import { eras, served } from "./served.ts";
import { failureOf, required } from "./tasks-kit.ts";

const tasksKey = "io.modelcontextprotocol/tasks";

test.each(eras)("a call that runs as a task is answered as any other (%s)", async (era) => {
  await using far = await served(era);
  const reply = await far.client.callTool("must_work", { steps: 3, ms: 5 }, { task: required });
  expect(reply.result.content).toEqual([{ type: "text", text: expect.any(String) }]);
  expect(JSON.parse(reply.raw())).toEqual(reply.result);
  expect(far.methods()).toContain("tasks/get");
  expect(far.methods().includes("tasks/result")).toBe(era === "legacy");
  const call = far.received.find(({ method }) => method === "tools/call");
  expect(call?.params["task"]).toEqual(era === "legacy" ? { ttl: 86_400_000 } : undefined);
});

test("a modern server makes a task of a call by itself: nobody notices", async () => {
  await using far = await served("modern");
  const reply = await far.client.callTool("work", { steps: 1, ms: 1 });
  expect(reply.result.resultType ?? "complete").toBe("complete");
  expect(reply.result.content).toBeArray();
});

test("the extension is declared with each modern request, and never to a legacy server", async () => {
  for (const era of eras) {
    await using far = await served(era);
    await far.client.listTools();
    const list = far.received.find(({ method }) => method === "tools/list");
    const declared = metaOf(list)?.["io.modelcontextprotocol/clientCapabilities"]?.extensions;
    expect(declared).toEqual(era === "modern" ? { [tasksKey]: {} } : undefined);
    const greeting = far.received.find(({ method }) => method === "initialize");
    expect(greeting?.params["capabilities"] ?? {}).not.toHaveProperty("extensions");
  }
});

test("a tool that may run as a task does so only where it is asked to (2025-11-25)", async () => {
  await using far = await served("legacy");
  await far.client.callTool("work", { steps: 1, ms: 1 });
  await far.client.callTool("work", { steps: 1, ms: 1 }, { task: { support: "forbidden" } });
  expect(far.methods()).not.toContain("tasks/get");
});

test.each(eras)("what a task failed with is the call's own failure (%s)", async (era) => {
  await using far = await served(era);
  const call = (args: JsonObject) => far.client.callTool("work_fails", args, { task: required });
  expect((await call({})).result).toMatchObject({ isError: true });
  const error = await failureOf(call({ error: true }));
  expect(error).toBeInstanceOf(RpcError);
  expect(error).toMatchObject({ code: -32050, message: "the work broke" });
});

test("a server without tasks gets a call as ever, whatever its tool says", async () => {
  const plain = scripted(modernScript());
  await using client = await connect(plain.options);
  expect((await client.callTool("one", {}, { task: required })).result).toMatchObject(text("done"));
});

test("the names of both forms are read, and nothing that is none", () => {
  expect(readTask({ taskId: "t", status: "working", ttl: 5, pollInterval: 7 })).toMatchObject({
    ttlMs: 5,
    pollIntervalMs: 7,
  });
  const odd: (Json | undefined)[] = [undefined, null, {}, { taskId: "", status: "working" }];
  for (const value of [...odd, { taskId: "t" }, { taskId: "t", status: 5 }])
    expect(readTask(value)).toBeUndefined();
  // May end yet.
  expect(readTask({ taskId: "t", status: "constructor" })?.status).toBe("working");
  expect(taskSupportOf({ execution: { taskSupport: "required" } })).toBe("required");
  expect(taskSupportOf({ execution: { taskSupport: "toString" } })).toBe("forbidden");
});
