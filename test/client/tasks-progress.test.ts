/** Calls that run as tasks: progress under the call's own token, and what the server says of it. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { waitForTask } from "../../lib/client/tasks-wait.ts";
import { legacyScript, metaOf, scripted, text } from "./kit.ts";
import { done, required, scriptedTask, working } from "./tasks-kit.ts";

const say = (statusMessage: string) => ({ status: "working", statusMessage });

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
