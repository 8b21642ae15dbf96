/** What the rules say of a call that is about to be made: it goes on, or an error says who holds it back. Sends nothing. */
import { HostError } from "../base/errors.ts";
import type { PolicyRule } from "../config/types.ts";
import type { Call } from "../hooks/call.ts";
import { approvalRules, compileRules, describeRule } from "../hooks/rules.ts";
import type { Target } from "./tables.ts";

/** Holds a call against the rules, which are made ready once for its tool. @throws HostError `denied` */
export function decide(call: Call, target: Target, policy: readonly PolicyRule[]): void {
  const { server, names } = target;
  target.decide ??= compileRules([...policy, ...approvalRules(server.config, names)]);
  const { actor, annotations, arguments: args } = call;
  const decision = target.decide({
    server: call.server,
    names,
    actor,
    annotations,
    arguments: args,
  });
  if (decision.do === "allow" || decision.rule === undefined) return;
  const { rule } = decision;
  const by = describeRule(rule);
  const why = rule.reason === undefined || rule.reason === by ? "" : `: ${rule.reason}`;
  const what = `${call.tool} of server "${call.server}"`;
  const asked = rule.do === "ask";
  const text = asked
    ? `${what} needs approval and nobody can be asked here (${by}${why})`
    : `${what} is denied by ${by}${why}`;
  throw new HostError("denied", text, {
    facts: { server: call.server, tool: call.tool, rule: by, ...(asked && { option: "policy" }) },
    ...(asked && { hint: "allow it beforehand: change the rule, or add one that allows it" }),
  });
}
