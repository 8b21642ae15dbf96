/**
 * Other servers and rules for a host that is open: what must change is found by comparing entries, and all else stays as it
 * is, processes and calls. It starts nothing by itself. Loaded when a host is first changed.
 */
import type { ServerContext } from "./connection-types.ts";
import type { HostParts } from "./over.ts";
import type { Reconfiguration, Reconfigured } from "./reconfigure-types.ts";
import type { HostedConfig } from "./server-types.ts";
import { HostedServer } from "./server.ts";

/** The parts of a host that may be changed. */
export interface Changeable extends Pick<HostParts, "followers"> {
  /** Replaced in place: everybody in the host looks at this array. */
  servers: HostedServer[];
  context: ServerContext;
  /** By name: servers that were replaced or removed and have not ended yet. */
  leaving: Map<string, Promise<unknown>>;
}

/** As `ChangeableHost.reconfigure`, at once. */
export function reconfigure(
  { servers: entries, policy, limits, relist, graceMs = graceDefaultMs }: Reconfiguration,
  host: Changeable,
): Reconfigured {
  const { servers, context, leaving, followers } = host;
  const wanted = entries.filter(({ disabled }) => disabled !== true);
  const before = new Map(servers.map((server) => [server.name, server]));
  const change = compared(before, wanted);
  const isKept = new Set([...change.kept, ...change.adjusted]);
  const stopped = servers.filter(({ name }) => !isKept.has(name));
  const wasUp = stopped.filter((server) => server.status().state !== "idle");
  for (const server of stopped) {
    const { name } = server;
    context.toolLists?.forget(name);
    const gone = retired(server, change, graceMs);
    const all: Promise<unknown> = Promise.all([leaving.get(name), gone]).then(
      () => leaving.get(name) === all && leaving.delete(name),
    );
    leaving.set(name, all);
  }
  const now = wanted.map((entry) => {
    const old = isKept.has(entry.name) ? before.get(entry.name) : undefined;
    if (old === undefined) return new HostedServer(entry, context, afterOf(entry, leaving));
    old.config = entry;
    return old;
  });
  const names = now.map(({ name }) => name);
  servers.splice(0, servers.length, ...now);
  Object.assign(context, { servers: wanted, policy, ...(limits && { limits }) });
  for (const follower of followers) follower(change);
  const { emit } = context;
  for (const { name } of wasUp) emit({ type: "server_state", server: name, state: "stopped" });
  const isMoved = !Bun.deepEquals(orderOf([...before.keys()], isKept), orderOf(names, isKept));
  tellLists(relist || isMoved ? new Set([...before.keys(), ...names]) : otherNames(change), emit);
  return change;
}

/** Stops a server whose place another has, or nobody. Settles when it has ended; never rejects. */
export function retired(
  server: HostedServer,
  { removed }: Reconfigured,
  graceMs: number = graceDefaultMs,
): Promise<void> {
  const how = removed.includes(server.name)
    ? "was taken out of the config"
    : "was replaced by its new entry in the config";
  return server.retire(how, graceMs).catch(() => {});
}

/** The servers that are not what they were, in any way. */
export function otherNames({ added, removed, changed, adjusted }: Reconfigured): Set<string> {
  return new Set([...added, ...removed, ...changed, ...adjusted]);
}

/** Says that all lists of these servers changed. */
export function tellLists(servers: Iterable<string>, emit: ServerContext["emit"]): void {
  for (const server of servers) {
    emit({ type: "tools_changed", server });
    for (const list of ["prompts", "resources"] as const)
      emit({ type: "list_changed", server, list });
  }
}

// --- internal ---

const graceDefaultMs = 10_000;

/** What is looked at anew for each call or list: a server that runs need not know of it. */
const adjustable = [
  "prefix",
  "rename",
  "allowedTools",
  "deniedTools",
  "approval",
  "toolsWithoutApproval",
  "timeoutMs",
  "startTimeoutMs",
  "queueMax",
  "queueMs",
  "idleMs",
  "lifecycle",
] as const satisfies (keyof HostedConfig)[];

function compared(
  before: ReadonlyMap<string, HostedServer>,
  wanted: readonly HostedConfig[],
): Reconfigured {
  const change: Reconfigured = { added: [], removed: [], changed: [], adjusted: [], kept: [] };
  const names = new Set(wanted.map(({ name }) => name));
  for (const name of before.keys()) if (!names.has(name)) change.removed.push(name);
  for (const entry of wanted) {
    const old = before.get(entry.name)?.config;
    if (old === undefined) change.added.push(entry.name);
    else if (!Bun.deepEquals(essence(old), essence(entry))) change.changed.push(entry.name);
    else if (Bun.deepEquals(meaning(old), meaning(entry))) change.kept.push(entry.name);
    // The project of a stranger may not loosen its own filters: trust is asked for anew, before the next start.
    else change[entry.origin.kind === "found" ? "changed" : "adjusted"].push(entry.name);
  }
  return change;
}

/** The first of two servers has a name that both could have. */
function orderOf(names: readonly string[], of: ReadonlySet<string>): string[] {
  return names.filter((name) => of.has(name));
}

/** An entry by what it means, however it is written. */
function meaning(entry: HostedConfig): Partial<HostedConfig> {
  const { written: _, ...rest } = entry;
  return rest;
}

/** What of it cannot be changed on a server that runs. */
function essence(entry: HostedConfig): Partial<HostedConfig> {
  const rest = meaning(entry);
  for (const key of adjustable) delete rest[key];
  return rest;
}

/** Two processes of one server at a time may stand in each other's way: a port, a lock, a profile. */
function afterOf(
  { kind, name }: HostedConfig,
  leaving: ReadonlyMap<string, Promise<unknown>>,
): Promise<unknown> | undefined {
  return kind === "stdio" ? leaving.get(name) : undefined;
}
