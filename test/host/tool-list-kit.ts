/** The list of a server's tools, whose fetches are let go one by one. */
import type { McpClient, ToolList } from "../../lib/client/types.ts";
import { ToolCache } from "../../lib/host/tool-list.ts";

/** One that says so, or does not, may have other tools later. */
export function someone(capabilities: McpClient["capabilities"] = {}): McpClient {
  return { capabilities, closed: new Promise(() => {}) } as unknown as McpClient;
}

/** A client that says nothing of itself. */
export const client = someone();

/** A cache whose fetches are let go one by one; each gives a tool named by its number. */
export function gated() {
  const gates: PromiseWithResolvers<void>[] = [];
  const cache = new ToolCache(async (): Promise<ToolList> => {
    const gate = Promise.withResolvers<void>();
    const name = `t${gates.push(gate)}`;
    await gate.promise;
    return { tools: [{ name, inputSchema: {}, raw: {} }], warnings: [] };
  });
  const open = async (count: number) => {
    while (gates.length < count) await Bun.sleep(0);
    gates[count - 1]!.resolve();
  };
  return { cache, gates, open };
}

/** The names of the tools that were got. */
export async function names(got: ReturnType<ToolCache["get"]>): Promise<string[]> {
  return (await got).tools.map((tool) => tool.name);
}
