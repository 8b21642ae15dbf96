/** What the rules would say of a call of each tool, and by which rule. Pure; it decides by the same rules as a call. */
import type { PolicyRule } from "../config/types.ts";
import type { Actor } from "../hooks/call.ts";
import { approvalRules, compileRules, describeRule } from "../hooks/rules.ts";
import type { RuleSubject } from "../hooks/rules.ts";
import { namesOf } from "./names.ts";
import type { Judgement } from "./opened-types.ts";
import type { HostedConfig } from "./server-types.ts";
import type { HostTool } from "./types.ts";

export interface JudgeOptions {
  policy: readonly PolicyRule[];
  servers: readonly HostedConfig[];
  /** Who would call. */
  actor: Actor;
}

/** One judgement a tool, in their order. */
export function judge(tools: readonly HostTool[], options: JudgeOptions): Judgement[] {
  return tools.map((tool) => judgeOne(tool, options));
}

// --- internal ---

function judgeOne(tool: HostTool, { policy, servers, actor }: JudgeOptions): Judgement {
  const server = servers.find(({ name }) => name === tool.server);
  const names = [...namesOf({ ...server, name: tool.server, tools: [] }, tool.tool), tool.name];
  const rules = [...policy, ...(server === undefined ? [] : approvalRules(server, names))];
  const annotations = tool.annotations ?? {};
  const subject: RuleSubject = { server: tool.server, names, actor, annotations, arguments: {} };
  const decision = compileRules(rules)(subject);
  const depends = argumentRules(rules, subject);
  return {
    do: decision.do,
    ...(decision.rule && { rule: describeRule(decision.rule) }),
    ...(depends.length > 0 && { dependsOnArguments: depends }),
  };
}

/** Rules that would match if the arguments did: what they say can only be known at the call. */
function argumentRules(rules: readonly PolicyRule[], subject: RuleSubject): string[] {
  return rules.flatMap((rule) => {
    const { arguments: wanted, ...rest } = rule;
    if (wanted === undefined || compileRules([rest])(subject).rule === undefined) return [];
    return [`${rule.do} where ${JSON.stringify(wanted)}, by ${describeRule(rule)}`];
  });
}
