/** Calls that nobody waits for: their tasks are kept, so that `task` finds them again, and their ids are all that is printed. */
import type { Log } from "../base/log.ts";
import { ourPaths } from "../config/paths.ts";
import type { Task } from "../protocol/tasks.ts";
import type { Opened } from "./open.ts";
import { reachingOf } from "./reaching.ts";
import { taskStore } from "./task-store.ts";
import type { KeptTask } from "./task-store.ts";
import type { Io, Parsed } from "./types.ts";

export interface Detached {
  task: Task;
  server: string;
  tool: string;
}

/** Keeps the task, and prints its id. */
export async function keepDetached(
  { task, server, tool }: Detached,
  { opened, parsed, io, log }: { opened: Opened; parsed: Parsed; io: Io; log: Log },
): Promise<void> {
  const { taskId, status, ttlMs = null } = task;
  const kept: KeptTask = {
    taskId,
    server,
    tool,
    status,
    at: new Date().toISOString(),
    ttlMs,
    flags: reachingOf(parsed),
    ...(parsed.rest && { rest: parsed.rest }),
    cwd: io.cwd,
  };
  const isKept = await taskStore({ folder: ourPaths(io.env).state, log }).keep(kept);
  const text = parsed.flags["json"] === true ? JSON.stringify(task.raw) : taskId;
  await io.stdout.write(`${text}\n`);
  if (!isKept)
    log({
      level: "warn",
      server,
      text: "the task could not be kept here: name its server when you ask for it (--log-level debug says why)",
    });
  const config = opened.config.servers.find(({ name }) => name === server);
  if (config?.kind === "stdio")
    log({
      level: "warn",
      server,
      text: "it ends with this command, and its tasks end with it, unless it keeps them somewhere itself",
    });
}
