/** Calls that nobody waits for: their tasks are kept, so that `task` finds them again, and their ids are all that is printed. */
import type { Log } from "../base/log.ts";
import { ourPaths } from "../config/paths.ts";
import type { ServerConfig } from "../config/types.ts";
import type { ServerStatus } from "../host/types.ts";
import type { Session } from "../protocol/mcp.ts";
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
  session?: Session;
}

/** Keeps the task, and prints its id. */
export async function keepDetached(
  { task, server, tool, session }: Detached,
  { opened, parsed, io, log }: { opened: Opened; parsed: Parsed; io: Io; log: Log },
): Promise<void> {
  const { taskId, status, ttlMs = null } = task;
  const config = opened.config.servers.find(({ name }) => name === server);
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
    ...(session && config?.kind === "http" && { session: { ...session, url: config.url } }),
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
  const end = endOf(config, session, opened.host.servers());
  if (end !== undefined) log({ level: "warn", server, text: end });
}

// --- internal ---

/** What may end a task with this command; undefined: nothing. */
function endOf(
  config: ServerConfig | undefined,
  session: Session | undefined,
  servers: readonly ServerStatus[],
): string | undefined {
  if (config?.kind === "stdio")
    return "it ends with this command, and its tasks end with it, unless it keeps them somewhere itself";
  const { era } = servers.find(({ name }) => name === config?.name) ?? {};
  if (era !== "legacy" || session !== undefined) return undefined;
  return "it has no session that could be gone on with: it may know the task only as long as this connection, which ends now";
}
