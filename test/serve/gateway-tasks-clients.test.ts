/** The official client 1.x with its tasks, over each transport, in front of servers of either era. */
import { describe, expect, test } from "bun:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { full } from "./gateway-kit.ts";
import { linksTo, ways } from "./gateway-links-kit.ts";

const task = { ttl: 60_000 };

describe.each(ways)("%s", (way) => {
  test.each(["legacy", "modern"] as const)("to a %s server", async (era) => {
    await using links = await linksTo(way, full(era));
    const client = new Client(
      { name: "tasks", version: "1" },
      { capabilities: { elicitation: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: "accept" as const,
      content: { name: "Ada" },
    }));
    await client.connect(links.link());
    const { tasks } = client.experimental;
    const run = async (name: string, args: Record<string, unknown> = {}) => {
      const types: string[] = [];
      let text: unknown;
      let taskId = "";
      const params = { name, arguments: args };
      for await (const message of tasks.callToolStream(params, CallToolResultSchema, { task })) {
        if (types.at(-1) !== message.type) types.push(message.type);
        if (message.type === "taskCreated") ({ taskId } = message.task);
        if (message.type === "result") [text] = message.result.content as unknown[];
        if (message.type === "error") throw message.error;
      }
      return { types, text, taskId };
    };
    const worked = await run("must_work", { steps: 2, ms: 5 });
    expect(worked.text).toEqual({ type: "text", text: "done after 2 steps" });
    expect([worked.types[0], worked.types.at(-1)]).toEqual(["taskCreated", "result"]);
    const asked = await run("work_asks");
    expect(asked.text).toMatchObject({ text: '{"action":"accept","content":{"name":"Ada"}}' });
    expect((await tasks.getTask(worked.taskId)).status).toBe("completed");
    const { tasks: all } = await tasks.listTasks();
    expect(all.map(({ taskId }) => taskId)).toEqual([worked.taskId, asked.taskId]);
    await client.close();
  });
});
