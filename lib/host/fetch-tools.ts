/** How the tools of one server are got: as an earlier run kept them, or from the server. It remembers nothing itself. */
import { settlesWithin } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import { debug, since } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import type { McpClient, ToolList } from "../client/types.ts";
import { toListError } from "./failure.ts";
import type { ToolListStore } from "./option-types.ts";
import type { HostedConfig, UseOptions } from "./server-types.ts";
import { waitFor } from "./wait.ts";

export interface FetchOptions {
  config: HostedConfig;
  log: Log;
  toolLists?: ToolListStore | undefined;
  signal: AbortSignal;
  timeoutMs: number;
  /** A list that an earlier run kept would do. */
  mayBeKept: boolean;
}

/** @throws HostError `server_start` `rpc_error` and the like, each with `facts.sent: false` */
export async function fetchTools(
  client: McpClient,
  options: FetchOptions,
): Promise<ToolList & { at?: number }> {
  const { config, mayBeKept, log, signal, timeoutMs } = options;
  const { name } = config;
  const store = client.era === "modern" ? options.toolLists : undefined;
  const kept = mayBeKept ? await store?.read(name) : undefined;
  if (kept !== undefined) return await usable(kept, client, config);
  const startedAt = performance.now();
  const list = await client.listTools({ signal, timeoutMs }).catch((error: unknown) => {
    throw toListError(error, name);
  });
  debug(log, name, () => `tools listed: ${list.tools.length} after ${since(startedAt)}`);
  if (list.failure === undefined) store?.write(name, list);
  const { failure, ...rest } = await usable(list, client, config);
  return failure === undefined ? rest : { ...rest, failure: toListError(failure, name) };
}

/**
 * A list that others may wait longer for: only the wait is given up.
 * @throws HostError `server_start` after `waitMs`; as `fetchTools`, and when the signal fires
 */
export async function sharedList<List>(
  list: Promise<List>,
  server: string,
  { signal, waitMs }: Pick<UseOptions, "signal" | "waitMs">,
): Promise<List> {
  const at = { server, method: "tools/list" };
  if (waitMs !== undefined && !(await waitFor(settlesWithin(list, waitMs), signal, at)))
    throw lateList(server, waitMs);
  return await waitFor(list, signal, at);
}

// --- internal ---

/** Why a call waits no longer for the list. */
function lateList(server: string, timeoutMs: number): HostError {
  const text = `server "${server}" did not answer tools/list within ${timeoutMs} ms`;
  return new HostError("server_start", text, {
    facts: { server, method: "tools/list", sent: false, timeoutMs, option: "timeoutMs" },
    hint: "a longer timeoutMs waits longer",
  });
}

/** Some tools must not be used over HTTP. */
async function usable<List extends ToolList>(
  list: List,
  client: McpClient,
  config: HostedConfig,
): Promise<List> {
  if (config.kind !== "http") return list;
  const { usableTools } = await import("./call-headers.ts");
  return { ...list, ...usableTools(list, client, config) };
}
