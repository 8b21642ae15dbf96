/** Lists of tasks: those that are kept here, and those that servers tell of themselves. */
import type { Log } from "../base/log.ts";
import { cut, widthOf } from "./fit.ts";
import { tellNone } from "./listing.ts";
import { openFromFlags } from "./open.ts";
import type { KeptTask } from "./task-store.ts";
import type { Io, Parsed } from "./types.ts";

/** What is shown of a task. */
type Listed = Pick<KeptTask, "taskId" | "server" | "tool" | "status" | "at" | "ttlMs">;

/** What the servers of the line say of their tasks themselves; of one that cannot tell, what is kept here. */
export async function tasksOfServers(
  kept: readonly KeptTask[],
  { parsed, io, log }: { parsed: Parsed; io: Io; log: Log },
): Promise<Listed[]> {
  await using opened = await openFromFlags(parsed, io, log);
  const { host, config } = opened;
  const of = async (server: string): Promise<Listed[]> => {
    const mine = kept.filter((task) => task.server === server);
    const tasks = await host.tasksOf(server, { signal: io.signal });
    if (tasks === undefined) return mine;
    return tasks.map(({ taskId, status, ttlMs = null, raw: { createdAt } }) => {
      const tool = mine.find((task) => task.taskId === taskId)?.tool ?? "";
      const at = typeof createdAt === "string" ? createdAt : "";
      return { taskId, server, tool, status, at, ttlMs };
    });
  };
  const servers = config.servers.filter(({ disabled }) => disabled !== true);
  try {
    return (await Promise.all(servers.map(({ name }) => of(name)))).flat();
  } catch (error) {
    throw await opened.explain(error);
  }
}

/** One line a task, or a JSON array. */
export async function printTasks(
  tasks: readonly Listed[],
  parsed: Parsed,
  io: Io,
): Promise<number> {
  if (parsed.flags["json"] === true) {
    const listed = tasks.map(({ taskId, server, tool, status, at, ttlMs }) => {
      return { taskId, server, tool, status, at, ttlMs };
    });
    await io.stdout.write(`${JSON.stringify(listed)}\n`);
    return 0;
  }
  if (tasks.length === 0) await tellNone("tasks", parsed, io);
  const width = widthOf(io);
  for (const { taskId, server, tool, status, at } of tasks) {
    const began = at.replace(/\.\d+Z$/, "Z");
    await io.stdout.write(
      `${cut(`${taskId}  ${status}  ${[server, tool].filter(Boolean).join(".")}  ${began}`, width)}\n`,
    );
  }
  return 0;
}
