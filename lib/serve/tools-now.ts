/** The tools that there are now, as one caller may see them. A slow or dead server delays nobody: its tools appear later. */
import { settlesWithin } from "../base/async.ts";
import type { Judgement } from "../host/opened-types.ts";
import type { HostTool, ServerStatus } from "../host/types.ts";
import { withoutPaths } from "./http-error.ts";
import type { Caller, ServeContext } from "./types.ts";

/** How long a list waits for changed lists of running servers, and just after the start for those that still start. */
const waitMs = 2000;

/** How long it waits for failed servers, which are tried again: what comes later is there the next time. */
const failedMs = 300;

type ToolsContext = Pick<ServeContext, "host" | "discovery" | "stopping">;

/** The names by which globs and callers know a tool. */
export function namesOf({
  name,
  server,
  tool,
}: Pick<HostTool, "name" | "server" | "tool">): string[] {
  return [tool, name, `${server}.${tool}`, `${server}/${tool}`];
}

/** Makes the function that lists what a caller may see, in the order of the config. */
export function toolsNow({ host, discovery, stopping }: ToolsContext) {
  const patientUntil = performance.now() + waitMs;
  return async ({ allows }: Pick<Caller, "allows">): Promise<HostTool[]> => {
    const patienceMs = patientUntil - performance.now();
    if (patienceMs > 0) await settlesWithin(discovery.done, patienceMs);
    const statuses = host.servers();
    const ask = async (wanted: ServerStatus["state"], ms: number) => {
      const servers = statuses.filter(({ state }) => state === wanted).map(({ name }) => name);
      if (servers.length > 0) await settlesWithin(host.tools({ servers, signal: stopping }), ms);
    };
    // Those that run may have told of a change.
    await Promise.all([ask("ready", waitMs), ask("failed", failedMs)]);
    const { tools } = await host.knownTools();
    return tools.filter((tool) => allows(namesOf(tool)));
  };
}

/** What the rules say of each tool to callers over HTTP, without paths of this machine. */
export async function policiesOf(
  { host }: Pick<ServeContext, "host">,
  tools: readonly HostTool[],
): Promise<Judgement[]> {
  const all = await host.judge(tools, "gateway");
  return all.map(({ do: decision, rule, dependsOnArguments }) => ({
    do: decision,
    ...(rule !== undefined && { rule: withoutPaths(rule) }),
    ...(dependsOnArguments && { dependsOnArguments: dependsOnArguments.map(withoutPaths) }),
  }));
}
