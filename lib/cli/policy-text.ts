/** What would happen to a call of each tool, and by which rule (`tools --policy`), as the host judges it. Pure. */
import type { PolicyRule } from "../config/types.ts";
import { describeRule, idlePatterns, isByHintsAlone } from "../hooks/rules.ts";
import type { Judgement } from "../host/opened-types.ts";
import { nameText } from "../host/signature.ts";
import type { HostTool } from "../host/types.ts";
import { fold } from "./fit.ts";

export interface PolicyOptions {
  /** One for each tool, in their order. */
  judgements: readonly Judgement[];
  json: boolean;
  /** Columns for a person. */
  width: number;
}

/** One line a tool: the decision, the exposed name, the rule; or all of it as a JSON array. */
export function policyText(
  tools: readonly HostTool[],
  { judgements, json, width }: PolicyOptions,
): string {
  if (json) {
    const rows = tools.map(({ name, server, tool }, i) => {
      return { name, server, tool, ...judgements[i] };
    });
    return `${JSON.stringify(rows)}\n`;
  }
  const longest = Math.max(0, ...tools.map(({ name }) => nameText(name).length));
  const lines = judgements
    .map(({ do: decision, rule, dependsOnArguments = [], plugins = [] }, i) => {
      const name = nameText(tools[i]?.name ?? "").padEnd(longest);
      const by = rule === undefined ? "" : `  by ${rule}`;
      const or = dependsOnArguments.map((words) => `  or ${words}`).join("");
      const also =
        plugins.length === 0 || decision === "deny" ? "" : `  or as ${plugins.join(", ")} says`;
      return `${`${decision.padEnd(5)}  ${name}${by}${or}${also}`.trimEnd()}\n`;
    })
    .join("");
  return fold(lines, width);
}

/** What is odd about the rules, in words for their writer: those that match no tool, those that never answer a question. */
export function policyWarnings(
  policy: readonly PolicyRule[],
  tools: readonly HostTool[],
): string[] {
  const names = tools.map(({ name, server, tool }) => [name, tool, `${server}.${tool}`]);
  const servers = tools.map(({ server }) => [server]);
  return policy.flatMap((rule) => {
    const isIdle =
      idlePatterns(rule.tools === undefined ? [] : [rule.tools], names).length > 0 ||
      idlePatterns(rule.servers === undefined ? [] : [rule.servers], servers).length > 0;
    // Any other is told of whenever all tools are listed.
    if (isIdle && rule.origin?.kind === "user")
      return [`${describeRule(rule)} matches no tool here`];
    if (!isByHintsAlone(rule)) return [];
    return [
      `${describeRule(rule)} allows by annotations alone, which any server can give itself: it answers no question; name tools or servers in it`,
    ];
  });
}
