/** What is known of one server, in one value. Pure. */
import type { McpClient, ToolList } from "../client/types.ts";
import type { Condition } from "./condition.ts";
import type { ServerStatus } from "./types.ts";

/**
 * `ready`: the client that everybody shares, where there is one; `listed`: its tools, as far as they were listed; `queued`:
 * how much work waits for its turn.
 */
export function statusOf(
  name: string,
  { state, error }: Condition,
  ready: McpClient | undefined,
  listed: ToolList | undefined,
  queued: number,
): ServerStatus {
  const tools = listed?.tools.length;
  return {
    name,
    state,
    ...(ready !== undefined && { era: ready.era, revision: ready.revision }),
    ...(ready?.serverInfo !== undefined && { serverInfo: ready.serverInfo }),
    ...(ready?.instructions !== undefined && { instructions: ready.instructions }),
    ...(tools !== undefined && { tools }),
    ...(queued > 0 && { queued }),
    ...(error !== undefined && { error }),
  };
}
