/** The tools that there are now, as one caller may see them. A slow or dead server delays nobody: its tools appear later. */
import { settlesWithin } from "../base/async.ts";
import type { Judgement } from "../host/opened-types.ts";
import type { HostTool } from "../host/types.ts";
import { withoutPaths } from "./http-error.ts";
import type { Caller, ServeContext } from "./types.ts";

/** How long a list waits for changed lists of running servers, and just after the start for those that still start. */
const waitMs = 2000;

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
    // Those that run may have told of a change.
    const running = host.servers().filter(({ state }) => state === "ready");
    if (running.length > 0) {
      const work = host.tools({ servers: running.map(({ name }) => name), signal: stopping });
      await settlesWithin(work, waitMs);
    }
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
