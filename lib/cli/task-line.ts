/** Which task a line means, and how its server is reached: as the line says, else as it was when the task began. */
import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { listOf } from "./flags.ts";
import type { Opened } from "./open.ts";
import type { KeptTask } from "./task-store.ts";
import type { Parsed } from "./types.ts";

/** Whether the line itself says where servers come from. */
export function namesServers({ flags, rest }: Parsed): boolean {
  const sources = ["server", "config", "config-json"];
  return rest !== undefined || sources.some((name) => listOf(flags[name]).length > 0);
}

/** The line with what reached the server before. */
export function remembered({ flags, rest }: KeptTask, parsed: Parsed): Parsed {
  const given = Object.entries(parsed.flags).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
  return { ...parsed, flags: { ...flags, ...Object.fromEntries(given) }, rest };
}

/** @throws HostError `usage`: there is none, or there are several */
export function findTask(
  id: string,
  tasks: readonly KeptTask[],
  parsed: Parsed,
): KeptTask | undefined {
  const exact = tasks.filter(({ taskId }) => taskId === id);
  const found = exact.length > 0 ? exact : tasks.filter(({ taskId }) => taskId.startsWith(id));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  // A server that is named can be asked for any task, also for one that was begun elsewhere.
  if (namesServers(parsed)) return undefined;
  const ids = tasks.map(({ taskId }) => taskId);
  if (only !== undefined)
    throw new HostError("usage", `${id} is the beginning of several tasks`, {
      hint: `they are ${found.map(({ taskId, server }) => `${taskId} (${server})`).join(", ")}`,
    });
  throw new HostError("usage", `no task ${JSON.stringify(id)} is kept here`, {
    facts: { nearest: nearest(id, ids) },
    hint:
      didYouMean(nearest(id, ids)) ??
      "mcphost task lists them; to ask for one that was begun elsewhere, name its server, too",
  });
}

/** @throws HostError `usage` `config` */
export function serverOf({ config, failures }: Opened, kept: KeptTask | undefined): string {
  const servers = config.servers.filter(({ disabled }) => disabled !== true);
  const [only, ...others] = servers;
  const known = servers.find(({ name }) => name === kept?.server);
  if (known !== undefined) return known.name;
  const failure = failures.find(({ server }) => server === kept?.server);
  if (failure !== undefined) throw failure.error;
  if (only !== undefined && others.length === 0) return only.name;
  const text =
    kept === undefined
      ? "the task could be on any of several servers"
      : `the task is on server "${kept.server}", which is not configured any more`;
  throw new HostError("usage", text, { hint: "name its server with -s, -c or -- COMMAND…" });
}
