/** Tasks that are over are kept for hours: what they were made of is not. */
import { expect, test } from "bun:test";

import type { Task } from "../../lib/serve/gateway-task.ts";
import { Run } from "../../lib/serve/gateway-tasks-run.ts";
import { Tasks } from "../../lib/serve/gateway-tasks.ts";
import type { Question } from "../../lib/serve/gateway-types.ts";
import { waitFor } from "../processes.ts";

const text = '{"content":[]}';

interface Made {
  task: Task;
  /** The arguments of its call. */
  params: WeakRef<object>;
  over: Promise<void>;
}

const kinds: Record<string, () => Made> = {
  "of 2025-11-25"() {
    const params = { name: "t", arguments: { large: true } };
    const from = { scope: { owner: "default", allows: () => true }, logLevel: undefined };
    const question = { id: 1, method: "tools/call", params, from } as unknown as Question;
    const run = new Run(question, {});
    const task = new Tasks().add(run)!;
    const over = run.begin(task, question, async () => text);
    return { task, params: new WeakRef(params), over };
  },
  "of the modern era"() {
    const params = { name: "t", arguments: { large: true } };
    const kept = { ttlMs: 1000, pollMs: 100, owner: "default" };
    const task = new Tasks().add({ ...kept, asked: () => params, giveUp: () => void params })!;
    task.finish({ text });
    return { task, params: new WeakRef(params), over: task.ended };
  },
};

test.each(Object.entries(kinds))("the arguments of tasks %s are let go of", async (_name, make) => {
  const all = Array.from({ length: 100 }, make);
  await Promise.all(all.map(({ over }) => over));
  // What still stands on the stack by chance is no leak.
  await waitFor(() => {
    Bun.gc(true);
    return all.filter(({ params }) => params.deref() !== undefined).length < 10;
  });
  for (const { task } of all) expect(task.end).toEqual({ text });
});
