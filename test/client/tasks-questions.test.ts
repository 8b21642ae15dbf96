/** Calls that run as tasks: what a task asks is answered once, or ends it. */
import { expect, test } from "bun:test";

import { isObject } from "../../lib/base/json.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import { connect } from "../../lib/client/client.ts";
import { waitForTask } from "../../lib/client/tasks-wait.ts";
import { modernScript, scripted, text, until } from "./kit.ts";
import { eras, served } from "./served.ts";
import { done, failureOf, required, scriptedTask, working } from "./tasks-kit.ts";

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
