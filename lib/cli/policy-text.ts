/** What would happen to a call of each tool, and by which rule (`tools --policy`). Pure; it decides by the host's own rules. */
import type { PolicyRule, ServerConfig } from "../config/types.ts";
import { approvalRules, compileRules, describeRule } from "../hooks/rules.ts";
import type { Decision, RuleSubject } from "../hooks/rules.ts";
import { namesOf } from "../host/names.ts";
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
  const judged = tools.map((tool) => {
    const server = servers.find(({ name }) => name === tool.server);
    return { tool, ...judge(tool, policy, server) };
  });
  if (json) {
    const rows = judged.map(({ tool: { name, server, tool }, decision, depends }) => ({
      name,
      server,
      tool,
      do: decision.do,
      ...(decision.rule && { rule: describeRule(decision.rule) }),
      ...(depends.length > 0 && { dependsOnArguments: depends }),
    }));
    return `${JSON.stringify(rows)}\n`;
  }
  const longest = Math.max(0, ...judged.map(({ tool }) => nameText(tool.name).length));
  const lines = judged
    .map(({ tool, decision, depends }) => {
      const name = nameText(tool.name).padEnd(longest);
      const by = decision.rule === undefined ? "" : `  by ${describeRule(decision.rule)}`;
      const or = depends.map((words) => `  or ${words}`).join("");
      return `${`${decision.do.padEnd(5)}  ${name}${by}${or}`.trimEnd()}\n`;
    })
    .join("");
  return fold(lines, options.width);
}

// --- internal ---

function judge(tool: HostTool, policy: readonly PolicyRule[], server: ServerConfig | undefined) {
  const named = { ...server, name: tool.server, tools: [] };
  const names = [...namesOf(named, tool.tool), tool.name];
  const rules = [...policy, ...(server === undefined ? [] : approvalRules(server, names))];
  const subject: RuleSubject = {
    server: tool.server,
    names,
    actor: "user",
    annotations: tool.annotations ?? {},
    arguments: {},
  };
  const decision: Decision = compileRules(rules)(subject);
  return { decision, depends: argumentRules(rules, subject) };
}

/** Rules that would match if the arguments did: what they say can only be known at the call. */
function argumentRules(rules: readonly PolicyRule[], subject: RuleSubject): string[] {
  return rules.flatMap((rule) => {
    const { arguments: wanted, ...rest } = rule;
    if (wanted === undefined || compileRules([rest])(subject).rule === undefined) return [];
    return [`${rule.do} where ${JSON.stringify(wanted)}, by ${describeRule(rule)}`];
  });
}
