/** What the rules say of a call that is about to be made: it goes on, or an error says who holds it back. Sends nothing. */
import { HostError } from "../base/errors.ts";
import type { PolicyRule } from "../config/types.ts";
import { approvalRules, compileRules, describeRule } from "../hooks/rules.ts";
import type { Decision, RuleSubject } from "../hooks/rules.ts";
import type { Target } from "./tables.ts";

/**
 * Holds a call against the rules, which are made ready once for its tool. What is asked about is for others to say.
 * @throws HostError `denied` by a rule that denies
 */
export function decide(call: RuleSubject, target: Target, policy: readonly PolicyRule[]): Decision {
  target.decide ??= compileRules([...policy, ...approvalRules(target.server.config, target.names)]);
  const decision = target.decide(call);
  const { rule } = decision;
  if (decision.do !== "deny" || rule === undefined) return decision;
  const by = describeRule(rule);
  const why = rule.reason === undefined || rule.reason === by ? "" : `: ${rule.reason}`;
  throw new HostError(
    "denied",
    `${target.tool} of server "${call.server}" is denied by ${by}${why}`,
    {
      facts: { server: call.server, tool: target.tool, rule: by },
    },
  );
}
