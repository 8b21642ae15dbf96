/**
 * `task [ID]`: calls that were begun with `call --detach`: which there are, how they go, what became of them (cli.md,
 * Commands). stdout holds the result alone; how a task goes is told on stderr.
 */
import { HostError, isHostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { ourPaths } from "../../config/paths.ts";
import type { Outcome } from "../../hooks/call.ts";
import type { HostTask } from "../../host/lasting-types.ts";
import type { Session } from "../../protocol/mcp.ts";
import { isTerminal } from "../../protocol/tasks.ts";
import type { Task } from "../../protocol/tasks.ts";
import { finish } from "../call.ts";
import { commonFlags, resultFlags, serverFlags, textOf } from "../flags.ts";
import { openFromFlags } from "../open.ts";
import type { Opened } from "../open.ts";
import { meter } from "../progress.ts";
import { explained, isUnknown } from "../task-errors.ts";
import { findTask, namesServers, remembered, serverOf } from "../task-line.ts";
import { taskStore } from "../task-store.ts";
import type { KeptTask, TaskStore } from "../task-store.ts";
import type { Command, Io, Parsed } from "../types.ts";
import { visible } from "../visible.ts";

const command: Command = {
  name: "task",
  description: "Tasks that were begun with call --detach: how they go, and their results",
  example: "mcphost task 786512e2 --wait",
  usage: "[ID] [-- COMMAND…]",
  flags: {
    ID: {
      type: "positional",
      description:
        'as call --detach printed it, or its beginning: its result, or its state on stderr (exit 9 while it works, 10 while it waits for input; --json: {"task": …}); without one the tasks are listed',
    },
    cancel: { type: "boolean", description: "ask the server to cancel it" },
    forget: { type: "boolean", description: "list it no more, and ask nobody" },
    ...resultFlags,
    events: { type: "boolean", description: "progress and log entries as JSON lines on stderr" },
    ...commonFlags,
    ...serverFlags,
    wait: {
      type: "boolean",
      description: "wait until it is done, as call does, and answer what it asks",
    },
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  check(parsed);
  const [id] = parsed.positionals;
  const store = taskStore({ folder: ourPaths(io.env).state, log });
  if (id === undefined) {
    const { printTasks, tasksOfServers } = await import("../task-list.ts");
    const kept = await store.list();
    if (!namesServers(parsed)) return await printTasks(kept, parsed, io, { asked: false });
    const tasks = await tasksOfServers(kept, { parsed, io, log });
    return await printTasks(tasks, parsed, io, { asked: true });
  }
  const kept = findTask(id, await store.list(), parsed);
  if (parsed.flags["forget"] === true) return await forget(id, { kept, store }, parsed, io);
  const line = kept === undefined || namesServers(parsed) ? parsed : remembered(kept, parsed);
  const { wait: _, ...rest } = line.flags;
  const there = line === parsed ? io : { ...io, cwd: kept?.cwd ?? io.cwd };
  await using opened = await openFromFlags({ ...line, flags: rest }, there, log);
  const server = serverOf(opened, kept);
  const session = sessionOf(opened, server, kept);
  const about = { ...(session && { session }), ...(kept && { tool: kept.tool }) };
  const task = await opened.host.task(server, kept?.taskId ?? id, about);
  return await look({ task, kept, store, opened }, parsed, io);
}

/** @throws HostError `usage` */
function check({ flags, positionals }: Parsed): void {
  const { length } = positionals;
  if (length > 1)
    throw new HostError("usage", `task takes one ID, and got ${length}`, {
      hint: "mcphost task lists them; a server's command stands behind --",
    });
  const [verb, ...others] = ["forget", "cancel", "wait"].filter((name) => flags[name] === true);
  if (verb !== undefined && verb !== "wait" && (length === 0 || others.length > 0))
    throw new HostError(
      "usage",
      `--${verb} takes one ID${others.length > 0 ? `, and no --${others[0]}` : ""}`,
    );
  if (flags["json"] === true && textOf(flags["output"]) === "-")
    throw new HostError("usage", "--json and -o - both want stdout", {
      hint: "leave one of them out, or give -o a file",
    });
}

/** @throws HostError `usage` */
async function forget(
  id: string,
  { kept, store }: Pick<Looking, "kept" | "store">,
  { flags }: Parsed,
  io: Io,
): Promise<number> {
  if (kept === undefined)
    throw new HostError("usage", `no task ${JSON.stringify(id)} is kept here`, {
      hint: "mcphost task lists them",
    });
  await store.forget(kept);
  if (flags["quiet"] === true) return 0;
  const text = `mcphost: task ${kept.taskId} is not listed any more\n`;
  await io.stderr.write(io.terminal.stderr ? visible(text.trimEnd()) + "\n" : text);
  return 0;
}

/** The session that the task is known in, where it is with the address that it was begun at. */
function sessionOf(
  { config }: Opened,
  name: string,
  kept: KeptTask | undefined,
): Session | undefined {
  if (kept?.session === undefined || kept.server !== name) return undefined;
  const { url, ...session } = kept.session;
  const server = config.servers.find((one) => one.name === name);
  return server?.kind === "http" && server.url === url ? session : undefined;
}

/** Exit statuses of a task that has no result yet. */
const notDone: ReadonlyMap<string, number> = new Map([
  ["working", 9],
  ["input_required", 10],
]);

interface Looking {
  task: HostTask;
  kept: KeptTask | undefined;
  store: TaskStore;
  opened: Opened;
}

async function look(looking: Looking, parsed: Parsed, io: Io): Promise<number> {
  const { task, kept, store } = looking;
  const { flags } = parsed;
  const { signal } = io;
  try {
    if (flags["cancel"] === true) await task.cancel({ signal });
    const state = await task.state({ signal });
    if (flags["cancel"] === true || (flags["wait"] !== true && !isTerminal(state))) {
      await tell(state, parsed, io);
      if (kept && state.status === "cancelled") await store.forget(kept);
      else if (kept && kept.status !== state.status)
        await store.keep({ ...kept, status: state.status });
      return flags["cancel"] === true ? 0 : (notDone.get(state.status) ?? 0);
    }
  } catch (error) {
    if (kept && isUnknown(error)) await store.forget(kept);
    // Its server has an answer, and no state: what was seen last is no news.
    else if (kept && isHostError(error) && error.code === "rpc_error")
      await store.keep({ ...kept, status: "unknown" });
    throw await explained(error, looking);
  }
  const outcome = await wait(task, parsed, io);
  const error = "error" in outcome ? outcome.error : undefined;
  if (kept && (error === undefined || error.code === "rpc_error"))
    await store.keep({ ...kept, status: error === undefined ? "completed" : "failed" });
  if ("result" in outcome && outcome.result !== undefined) {
    return await finish(
      outcome,
      { tool: kept?.tool ?? "the task", server: task.server },
      parsed,
      io,
    );
  }
  throw await explained(error, looking);
}

async function wait(task: HostTask, { flags }: Parsed, io: Io): Promise<Outcome> {
  const events = flags["events"] === true;
  const progress = meter(io, { label: task.taskId, events });
  try {
    return await task.outcome({
      signal: io.signal,
      ...(progress && { onProgress: (step) => progress.update(step) }),
    });
  } finally {
    progress?.end();
  }
}

/** How it goes, in one line. */
async function tell({ taskId, status, statusMessage, raw }: Task, { flags }: Parsed, io: Io) {
  if (flags["json"] === true) return await io.stderr.write(`${JSON.stringify({ task: raw })}\n`);
  if (flags["quiet"] === true) return;
  const said = statusMessage === undefined ? "" : `: ${statusMessage}`;
  const words = status === "input_required" ? "waits for input (--wait answers it)" : status;
  const text = `mcphost: task ${taskId}: ${words}${said}`;
  await io.stderr.write(`${io.terminal.stderr ? visible(text) : text}\n`);
}
