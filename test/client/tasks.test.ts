import { expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { ErrorCode } from "../../lib/base/errors.ts";
import { isObject } from "../../lib/base/json.ts";
import type { Json, JsonObject } from "../../lib/base/json.ts";
import { silent } from "../../lib/base/log.ts";
import { connect } from "../../lib/client/client.ts";
import type { TaskContext } from "../../lib/client/tasks-context.ts";
import { waitForTask } from "../../lib/client/tasks-wait.ts";
import type { TaskWish } from "../../lib/client/types.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { pollDelayMs, readTask, taskSupportOf } from "../../lib/protocol/tasks.ts";
import type { Task } from "../../lib/protocol/tasks.ts";
import { simulatedClock } from "./clock.ts";
import { legacyScript, metaOf, modernScript, scripted, text, until } from "./kit.ts";
import { eras, served } from "./served.ts";

const required: TaskWish = { support: "required" };
const tasksKey = "io.modelcontextprotocol/tasks";

/** A client that answers requests about one task by a list of states; what is thrown in it is thrown. */
function scriptedTask(era: "legacy" | "modern", states: (JsonObject | Error)[]) {
  const asked: [string, JsonObject][] = [];
  const listeners = new Set<(method: string, params: JsonObject) => void>();
  const closed = Promise.withResolvers<{ kind: "local" }>();
  const clock = simulatedClock();
  const client: TaskContext["client"] = {
    era,
    capabilities: {},
    closed: closed.promise,
    onNotification(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async request(method, params) {
      asked.push([method, params]);
      if (method !== "tasks/get") return { result: { content: [] }, raw: () => "{}" };
      const state = states.length > 1 ? states.shift() : states[0];
      if (state instanceof Error) throw state;
      const result = { taskId: "t", ...state };
      return { result, raw: () => JSON.stringify(result) };
    },
  };
  const context: TaskContext = { client, name: "far", answers: {}, log: silent, clock };
  return {
    asked,
    clock,
    context,
    close: () => closed.resolve({ kind: "local" }),
    tell: (method: string, params: JsonObject) => {
      for (const listener of listeners) listener(method, params);
    },
  };
}

const working = (more: JsonObject = {}): Task =>
  readTask({ taskId: "t", status: "working", ...more }) as Task;
const say = (statusMessage: string) => ({ status: "working", statusMessage });
const poll = (pollIntervalMs: number) => ({ status: "working", pollIntervalMs });
const lost = () =>
  new HostError("server_exit", "lost", { facts: { sent: false, sessionLost: true } });
const detached = (support: TaskWish["support"]) => ({ task: { support, detach: true } });
const done = { status: "completed", result: { content: [] } };

async function failureOf(promise: Promise<unknown>): Promise<HostError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  return error as HostError;
}

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

test.each(eras)("what a task asks is answered (%s)", async (era) => {
  const asked: JsonObject[] = [];
  const elicit = async (params: JsonObject) => {
    asked.push(params);
    return { action: "decline" };
  };
  await using far = await served(era, { answers: { elicit } });
  const reply = await far.client.callTool("work_asks", {}, { task: required });
  expect(reply.result.content).toEqual([{ type: "text", text: '{"action":"decline"}' }]);
  expect(asked).toMatchObject([{ message: "Go on?" }]);
});

test("a question that nobody can answer ends the task", async () => {
  await using far = await served("modern");
  const error = await failureOf(far.client.callTool("work_asks", {}));
  expect(error).toMatchObject({ code: "rpc_error" });
  expect(error.message).toContain("Go on?");
  await until(() => [...far.state.tasks.values()].every(({ status }) => status === "cancelled"));
});

test("a question is answered once, however often it is shown, and a new one beside it", async () => {
  const request = { method: "elicitation/create", params: { message: "a", requestedSchema: {} } };
  const input = (...keys: string[]) => ({
    status: "input_required",
    inputRequests: Object.fromEntries(keys.map((key) => [key, request])),
  });
  const far = scriptedTask("modern", [input("1"), input("1"), input("1", "__proto__"), done]);
  const answers = { elicit: async () => ({ action: "decline" }) };
  await waitForTask(working(), { ...far.context, answers }, {});
  const updates = far.asked.filter(([method]) => method === "tasks/update");
  const keys = updates.map(([, { inputResponses }]) =>
    isObject(inputResponses) ? Object.keys(inputResponses) : inputResponses,
  );
  expect(keys).toEqual([["1"], ["__proto__"]]);
});

test("questions before the task are answered as in any call", async () => {
  let polls = 0;
  const far = scripted(
    (message, end) => {
      if (message.method === "tasks/get")
        return polls++ < 2
          ? { resultType: "complete", taskId: "t", status: "working", pollIntervalMs: 1 }
          : { resultType: "complete", taskId: "t", status: "completed", result: text("Alice") };
      return modernScript({
        call: ({ params }) =>
          params["inputResponses"] === undefined
            ? {
                resultType: "input_required",
                requestState: "s",
                inputRequests: {
                  who: {
                    method: "elicitation/create",
                    params: { message: "Who?", requestedSchema: { type: "object" } },
                  },
                },
              }
            : { resultType: "task", taskId: "t", status: "working", pollIntervalMs: 1 },
      })(message, end);
    },
    { answers: { elicit: async () => ({ action: "decline" }) } },
  );
  await using client = await connect(far.options);
  expect((await client.callTool("one", {})).result).toMatchObject(text("Alice"));
});

test.each(eras)("giving a call up cancels its task, and nothing else (%s)", async (era) => {
  await using far = await served(era);
  const controller = new AbortController();
  const onTask = () => controller.abort(new Error("enough"));
  const error = await failureOf(
    far.client.callTool(
      "must_work",
      { steps: 1000, ms: 1000 },
      { signal: controller.signal, task: { ...required, onTask } },
    ),
  );
  expect(error).toMatchObject({ code: "cancelled", facts: { sent: true, server: "far" } });
  await until(() => far.methods().includes("tasks/cancel"));
  expect([...far.state.tasks.values()].map(({ status }) => status)).toEqual(["cancelled"]);
  expect(far.received.filter(({ method }) => method === "notifications/cancelled")).toEqual([]);
});

test("a task that is never done ends with the hard cap, and is cancelled", async () => {
  const far = scriptedTask("modern", [{ status: "working" }]);
  const error = await failureOf(waitForTask(working(), far.context, { timeoutMs: 1000 }));
  expect(error).toMatchObject({ code: "timeout", facts: { taskId: "t", timeoutMs: 10_000 } });
  expect(far.clock.now()).toBe(10_000);
  expect(far.asked.at(-1)).toEqual(["tasks/cancel", { taskId: "t" }]);
});

test("an hour of a working task is one call, as long as the cap allows it", async () => {
  const hours = Array.from({ length: 3600 }, () => ({ status: "working", pollIntervalMs: 1000 }));
  const far = scriptedTask("modern", [...hours, done]);
  const options = { timeoutMs: 1000, timeoutMaxMs: 2 * 3_600_000 };
  await waitForTask(working({ pollIntervalMs: 1000 }), far.context, options);
  expect(far.clock.now()).toBeGreaterThanOrEqual(3_600_000);
});

test("a server is asked as often as it wants, within bounds, as that changes", async () => {
  const far = scriptedTask("modern", [poll(5000), poll(0), poll(1e9), done]);
  await waitForTask(working({ pollIntervalMs: 300 }), far.context, {});
  expect(far.clock.waits).toEqual([300, 5000, 20, 60_000]);
});

test("where a server asks for nothing it is asked less and less often", async () => {
  const far = scriptedTask("legacy", [...Array.from({ length: 5 }, () => working().raw), done]);
  await waitForTask(working(), far.context, {});
  expect(far.clock.waits).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(far.asked.at(-1)?.[0]).toBe("tasks/result");
});

test("a task is looked at before its time to live is over", () => {
  const task = working({ ttlMs: 1000, pollIntervalMs: 5000 });
  expect([0, 500, 990, 1500].map((age) => pollDelayMs(task, 0, age))).toEqual([500, 250, 20, 5000]);
  expect(pollDelayMs(working({ ttl: null, pollInterval: 70 }), 0, 1e9)).toBe(70);
});

test("a change that is told of is looked at without waiting", async () => {
  for (const method of ["notifications/tasks/status", "notifications/tasks"]) {
    const far = scriptedTask("legacy", [done]);
    // Time stands still: only the notification can end the wait.
    const clock = { ...far.clock, sleep: () => new Promise<void>(() => {}) };
    const waiting = waitForTask(working({ pollInterval: 60_000 }), { ...far.context, clock }, {});
    far.tell(method, { taskId: "another" });
    far.tell(method, { taskId: "t", status: "completed" });
    await waiting;
  }
});

test("news that come while it is being asked are looked at soon, and never without a pause", async () => {
  const far = scriptedTask("legacy", [working({ pollInterval: 60_000 }).raw, done]);
  const { request } = far.context.client;
  far.context.client.request = async (method, params) => {
    if (method === "tasks/get") far.tell("notifications/tasks/status", { taskId: "t" });
    return await request(method, params);
  };
  await waitForTask(working({ pollInterval: 30_000 }), far.context, {});
  expect(far.clock.waits).toEqual([30_000, 50]);
});

test("a lost answer about a task is asked for again; a lost link leaves the task alone", async () => {
  const far = scriptedTask("modern", [lost(), lost(), done]);
  await waitForTask(working(), far.context, {});
  expect(far.asked.map(([method]) => method)).toEqual(["tasks/get", "tasks/get", "tasks/get"]);

  const gone = scriptedTask("modern", [lost()]);
  gone.close();
  const error = await failureOf(waitForTask(working(), gone.context, {}));
  expect(error).toMatchObject({ code: "uncertain", facts: { taskId: "t", sent: true } });
  // The call itself must never be repeated for it.
  expect(error.facts).not.toHaveProperty("sessionLost");
  expect(gone.asked).toHaveLength(1);
});

const refused = (httpStatus: number, code: ErrorCode = "rpc_error") =>
  new HostError(code, `server "far" answered HTTP ${httpStatus}`, { facts: { httpStatus } });
const broken = new RpcError({ code: -32603, message: "oops" });

test.each<[string, Error]>([
  ["500", refused(500)],
  ["429", refused(429)],
  ["401", refused(401, "auth_required")],
  ["an internal error", broken],
])("one bad answer to a question about a task (%s) means nothing", async (_, error) => {
  const far = scriptedTask("modern", [error, error, done]);
  await waitForTask(working(), far.context, {});
  expect(far.asked.map(([method]) => method)).toEqual(["tasks/get", "tasks/get", "tasks/get"]);
  expect(far.clock.waits).toEqual([100, 200, 400]);
});

test("a server that no longer answers about a task: it is not known what becomes of it, and not cancelled", async () => {
  for (const [error, code] of [
    [refused(500), "uncertain"],
    [refused(401, "auth_required"), "uncertain"],
    [broken, -32603],
  ] as const) {
    const far = scriptedTask("modern", [error]);
    const failure = await failureOf(waitForTask(working(), far.context, {}));
    expect(failure as unknown).toMatchObject({ code });
    expect(far.asked).toEqual(Array.from({ length: 6 }, () => ["tasks/get", { taskId: "t" }]));
  }
});

test("questions that get no answer do not go beyond the hard cap", async () => {
  const far = scriptedTask("modern", [refused(503)]);
  const options = { timeoutMs: 50, timeoutMaxMs: 500 };
  await failureOf(waitForTask(working(), far.context, options));
  expect(far.clock.now()).toBeLessThanOrEqual(600);
});

test("a task that the server cancelled, forgot or mixed up is an error that says so", async () => {
  const cases: [JsonObject | Error, string][] = [
    [{ status: "cancelled", statusMessage: "tired" }, "was cancelled by the server: tired"],
    [new RpcError({ code: -32602, message: "Unknown task" }), "is not known to the server"],
    [{ status: "completed" }, "is completed and has no result"],
    [{ status: 5 }, "is no task"],
    [{ ...done, taskId: "u" }, "is no task"],
  ];
  for (const [state, words] of cases) {
    const far = scriptedTask("modern", [state]);
    const error = await failureOf(waitForTask(working(), far.context, {}));
    expect(error).toMatchObject({ code: "rpc_error", facts: { taskId: "t" } });
    expect(error.message).toContain(words);
  }
});

test("the progress token of the call stays that of its task (2025-11-25)", async () => {
  let token: unknown;
  const far = scripted((message, end) => {
    const { params, method } = message;
    if (method === "tasks/result") return text("done");
    if (method !== "tasks/get")
      return legacyScript({
        capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
        call: () => {
          token = metaOf(message)?.progressToken;
          return { task: { taskId: "t", status: "working", pollInterval: 1 } };
        },
      })(message, end);
    for (const progressToken of [token, 99])
      end.send({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2, message: "half" },
      });
    return { taskId: params["taskId"], status: "completed" };
  });
  await using client = await connect(far.options);
  const heard: unknown[] = [];
  const onProgress = (progress: unknown) => heard.push(progress);
  const reply = await client.callTool("one", {}, { task: required, onProgress });
  expect(reply.result).toMatchObject(text("done"));
  expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
});

test("what the server says of its progress is shown", async () => {
  const far = scriptedTask("modern", [say("a"), say("a"), say("b"), done]);
  const heard: (string | undefined)[] = [];
  await waitForTask(working(), far.context, { onProgress: ({ message }) => heard.push(message) });
  expect(heard).toEqual(["a", "b"]);
});

test.each(eras)(
  "a call that nobody waits for goes on, and can be asked about (%s)",
  async (era) => {
    await using far = await served(era);
    let task: Task | undefined;
    const wish: TaskWish = { support: "optional", detach: true, onTask: (made) => (task = made) };
    await far.client.callTool("work", { steps: 2, ms: 5 }, { task: wish });
    expect(task?.status).toBe("working");
    expect(far.methods()).not.toContain("tasks/get");
    const tasks = await far.client.tasks();
    const seen = await tasks.get((task as Task).taskId);
    expect(seen.status).toBe("working");
    expect((await tasks.finish(seen)).result.content).toBeArray();
    const listed = await tasks.list();
    expect(listed?.map(({ taskId }) => taskId)).toEqual(
      era === "legacy" ? [seen.taskId] : undefined,
    );
  },
);

test("a tool that cannot run as a task is refused before anything is sent", async () => {
  await using far = await served("legacy");
  const error = await failureOf(far.client.callTool("echo", {}, detached("forbidden")));
  expect(error).toMatchObject({ code: "usage", facts: { tool: "echo", sent: false } });
  expect(far.methods()).not.toContain("tools/call");

  const plain = scripted(modernScript());
  await using client = await connect(plain.options);
  expect(await failureOf(client.callTool("one", {}, detached("required")))).toMatchObject({
    code: "usage",
  });
  expect(plain.methods()).not.toContain("tools/call");
});

test("a server without tasks gets a call as ever, whatever its tool says", async () => {
  const plain = scripted(modernScript());
  await using client = await connect(plain.options);
  expect((await client.callTool("one", {}, { task: required })).result).toMatchObject(text("done"));
});

test("an answer that claims to be a task and is none is an error", async () => {
  const far = scripted(modernScript({ call: () => ({ resultType: "task", status: "working" }) }));
  await using client = await connect(far.options);
  const error = await failureOf(client.callTool("one", {}));
  expect(error).toMatchObject({ code: "rpc_error" });
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
