/** Tasks of modern clients, by the extension of 2026: handles in place of results, in front of servers of either era. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { waitFor } from "../processes.ts";
import { collect, full, gatewayOver, modernInit, textOf } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import { ask, call, next } from "./input-kit.ts";
import type { ServedHost } from "./kit.ts";

const extensions = { "io.modelcontextprotocol/tasks": {} };
const plain = { capabilities: { extensions } };
const asking = { capabilities: { extensions, elicitation: {} } };
const accept = { action: "accept", content: { name: "Ada" } };

type Options = Parameters<typeof ask>[3];

const about = (
  kit: ServedHost,
  method: string,
  { result }: Told,
  { params, ...options }: Options & { params?: object } = plain,
) =>
  ask(
    kit,
    method,
    { taskId: result.taskId, ...params },
    {
      ...options,
      headers: { "mcp-name": result.taskId },
    },
  );

/** Asks until the task is in one of these states. */
async function until(kit: ServedHost, made: Told, states: string[], options: Options = plain) {
  let last: Told = made;
  await waitFor(
    async () => {
      last = await about(kit, "tasks/get", made, options);
      return last.error !== undefined || states.includes(last.result.status);
    },
    () => JSON.stringify(last),
  );
  return last;
}

describe.each(["legacy", "modern"] as const)("in front of a %s server", (era) => {
  test("a call that its server makes a task of is answered by a handle, and its end by tasks/get", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const made = await call(kit, "must_work", { steps: 3, ms: 20 }, plain);
    expect({ ...made.result }).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^[\w-]{20,}$/),
      status: "working",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.any(String),
      ttlMs: expect.any(Number),
      pollIntervalMs: expect.any(Number),
    });
    const done = await until(kit, made, ["completed", "failed"]);
    expect(done.result).toMatchObject({ resultType: "complete", status: "completed" });
    expect(done.result.taskId).toBe(made.result.taskId);
    expect(done.result.result.content[0].text).toBe("done after 3 steps");
    expect(done.result.result.resultType).toBe("complete");
  });

  test("what a task asks comes with tasks/get, and is answered by tasks/update, once", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const made = await call(kit, "work_asks", {}, asking);
    expect(made.result.resultType).toBe("task");
    const open = await until(kit, made, ["input_required"], asking);
    const [[key, asked]] = Object.entries(open.result.inputRequests) as [[string, any]];
    expect(asked).toMatchObject({ method: "elicitation/create", params: { message: "Go on?" } });
    const again = await about(kit, "tasks/get", made, asking);
    expect(Object.keys(again.result.inputRequests)).toEqual([key]);
    const other = { params: { inputResponses: { other: accept } }, ...asking };
    expect((await about(kit, "tasks/update", made, other)).result.resultType).toBe("complete");
    expect((await about(kit, "tasks/get", made, asking)).result.status).toBe("input_required");
    const given = { params: { inputResponses: { [key]: accept } }, ...asking };
    await about(kit, "tasks/update", made, given);
    const done = await until(kit, made, ["completed", "failed"], asking);
    expect(JSON.parse(textOf(done.result))).toEqual(accept);
  });

  test("a stream tells of tasks that it asks for, where they are the client's own", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const made = await call(kit, "work_asks", {}, asking);
    const { taskId } = made.result;
    const filter = { notifications: { taskIds: [taskId, "other"] } };
    const open = await until(kit, made, ["input_required"], asking);
    const [key = ""] = Object.keys(open.result.inputRequests);
    const meta = { "io.modelcontextprotocol/clientCapabilities": asking.capabilities };
    const init = modernInit("subscriptions/listen", filter as object, { meta });
    const heard = collect(await kit.ask("/mcp", init));
    await waitFor(() => heard.length > 0);
    expect(heard[0]?.params.notifications).toEqual({ taskIds: [taskId] });
    const given = { params: { inputResponses: { [key]: accept } }, ...asking };
    await about(kit, "tasks/update", made, given);
    await waitFor(() => heard.at(-1)?.params.status === "completed");
    for (const { method, params } of heard.slice(1)) {
      expect([method, params.taskId]).toEqual(["notifications/tasks", taskId]);
      expect(params._meta).toEqual({ "io.modelcontextprotocol/subscriptionId": 1 });
    }
    expect(heard.slice(1).map(({ params }) => params.status)).toEqual(["working", "completed"]);
  });

  test("a task fails by an error alone: a result that is one completes it", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const broken = await call(kit, "work_fails", { error: true }, plain);
    const failed = await until(kit, broken, ["completed", "failed"]);
    expect(failed.result).toMatchObject({
      status: "failed",
      error: { code: -32050, message: "the work broke" },
    });
    const bad = await call(kit, "work_fails", {}, plain);
    const done = await until(kit, bad, ["completed", "failed"]);
    expect(done.result).toMatchObject({ status: "completed", result: { isError: true } });
  });

  test("a cancelled task stays cancelled, and its server is told", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const ends: string[] = [];
    using _watching = kit.host.onEvent((event) => {
      if (event.type === "call_end") ends.push(`${event.tool} ${event.status}`);
    });
    const made = await call(kit, "must_work", { steps: 1000, ms: 20 }, plain);
    expect((await about(kit, "tasks/cancel", made)).result.resultType).toBe("complete");
    const state = await about(kit, "tasks/get", made);
    expect(state.result.status).toBe("cancelled");
    await waitFor(() => ends.includes("must_work cancelled"));
    expect((await about(kit, "tasks/cancel", made)).error).toBeUndefined();
    expect((await about(kit, "tasks/get", made)).result.status).toBe("cancelled");
  });

  test("who does not declare the extension gets the result, and no task", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const done = await call(kit, "must_work", { steps: 1, ms: 1 }, { capabilities: {} });
    expect([done.result.resultType, textOf(done)]).toEqual(["complete", "done after 1 steps"]);
    const quick = await call(kit, "echo", { text: "at once" }, plain);
    expect([quick.result.resultType, textOf(quick)]).toEqual(["complete", "at once"]);
    const made = await call(kit, "must_work", { steps: 1, ms: 1 }, plain);
    const refused = await kit.ask(
      "/mcp",
      modernInit("tasks/get", { taskId: made.result.taskId } as object, {
        headers: { "mcp-name": made.result.taskId },
      }),
    );
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Told).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions } },
    });
  });

  test("a task is its owner's: to another, and by any other name, it is not there", async () => {
    const tokens = [
      { name: "a", token: "token-of-a" },
      { name: "b", token: "token-of-b" },
    ];
    await using kit = gatewayOver({ s: full(era) }, { tokens });
    const a = { ...plain, token: "token-of-a" };
    const made = await call(kit, "must_work", { steps: 1, ms: 1 }, a);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const foreign = await about(kit, method, made, { ...plain, token: "token-of-b" });
      expect(foreign.error?.code).toBe(-32602);
      const none = { result: { taskId: "__proto__" } };
      expect((await about(kit, method, none, a)).error?.code).toBe(-32602);
    }
    expect((await until(kit, made, ["completed"], a)).error).toBeUndefined();
  });
});

test("a call that asks first, and then is a task: the handle comes after the last round, and has no state", async () => {
  const program = join(import.meta.dir, "../fixtures/servers/composed.ts");
  await using kit = gatewayOver({ s: { command: process.execPath, args: [program] } });
  const params = { name: "composed" };
  const first = await ask(kit, "tools/call", params, asking);
  expect(Object.keys(first.result)).toContain("requestState");
  expect(first.result.taskId).toBeUndefined();
  const made = await ask(
    kit,
    "tools/call",
    next(params, first, () => accept),
    asking,
  );
  expect(made.result.resultType).toBe("task");
  expect(made.result.requestState).toBeUndefined();
  const done = await until(kit, made, ["completed", "failed"], asking);
  expect(textOf(done.result)).toBe("for Ada");
});

test("a task is told of in discovery; what the extension does not have is not there", async () => {
  await using kit = gatewayOver({ s: full("modern") });
  const discovered = await ask(kit, "server/discover", {});
  expect(discovered.result.capabilities.extensions).toEqual(extensions);
  for (const method of ["tasks/list", "tasks/result"]) {
    const response = await kit.ask("/mcp", modernInit(method, {}));
    expect([response.status, ((await response.json()) as Told).error?.code]).toEqual([404, -32601]);
  }
});
