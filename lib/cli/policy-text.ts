/** What would happen to a call of each tool, and by which rule (`tools --policy`). Pure; it decides by the host's own rules. */
import type { PolicyRule, ServerConfig } from "../config/types.ts";
import { judge } from "../host/judge.ts";
import { nameText } from "../host/signature.ts";
import type { HostTool } from "../host/types.ts";
import { fold } from "./fit.ts";

export interface PolicyOptions {
  policy: readonly PolicyRule[];
  servers: readonly ServerConfig[];
  json: boolean;
  /** Columns for a person. */
  width: number;
}

/** One line a tool: the decision, the exposed name, the rule; or all of it as a JSON array. */
export function policyText(tools: readonly HostTool[], options: PolicyOptions): string {
  const { policy, servers, json } = options;
  const judgements = judge(tools, { policy, servers, actor: "user" });
  if (json) {
    const rows = tools.map(({ name, server, tool }, i) => {
      return { name, server, tool, ...judgements[i] };
    });
    return `${JSON.stringify(rows)}\n`;
  }
  const longest = Math.max(0, ...tools.map(({ name }) => nameText(name).length));
  const lines = judgements
    .map(({ do: decision, rule, dependsOnArguments = [] }, i) => {
      const name = nameText(tools[i]?.name ?? "").padEnd(longest);
      const by = rule === undefined ? "" : `  by ${rule}`;
      const or = dependsOnArguments.map((words) => `  or ${words}`).join("");
      return `${`${decision.padEnd(5)}  ${name}${by}${or}`.trimEnd()}\n`;
    })
    .join("");
  return fold(lines, options.width);
}
