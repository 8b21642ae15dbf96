/** Lists of tasks: those that are kept here, and those that servers tell of themselves. */
import type { Log } from "../base/log.ts";
import { cut, shown, widthOf } from "./fit.ts";
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

/** One line a task, or a JSON array. `asked`: their servers told it just now. */
export async function printTasks(
  tasks: readonly Listed[],
  parsed: Parsed,
  io: Io,
  { asked }: { asked: boolean },
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
  const idOf = (id: string) =>
    width === Infinity
      ? id
      : shortest(
          id,
          tasks.map(({ taskId }) => taskId),
        );
  for (const { taskId, status, server, tool, at } of tasks) {
    const began = at.replace(/\.\d+Z$/, "Z");
    const line = [idOf(taskId), status, [server, tool].filter(Boolean).join("."), began].join("  ");
    await io.stdout.write(shown(`${cut(line, width)}\n`, io));
  }
  const isOpen = tasks.some(({ status }) => status === "working" || status === "input_required");
  if (isOpen && !asked && io.terminal.stderr && parsed.flags["quiet"] !== true)
    await io.stderr.write("mcphost: as they were last seen; mcphost task ID asks the server\n");
  return 0;
}

// --- internal ---

/** Shorter is hard to tell apart. */
const idLengthMin = 8;

/** As much of an id as tells it from the others: `task` takes it. */
function shortest(id: string, all: readonly string[]): string {
  let length = idLengthMin;
  while (
    length < id.length &&
    all.some((other) => other !== id && other.startsWith(id.slice(0, length)))
  )
    length++;
  return id.slice(0, length);
}
