/**
 * Who may call what, by rules from flags and config. Pure. Among the rules that match, deny is stronger than ask and ask
 * stronger than allow, unless that allow is the answer to what is asked; where none matches it depends on who asks. What a
 * server offers at all is a question of its own (`isOffered`), and no rule widens it.
 */
import { matchesGlob } from "../base/glob.ts";
import type { JsonObject } from "../base/json.ts";
import { atPointer } from "../base/pointer.ts";
import type { PolicyRule } from "../config/types.ts";
import type { ToolAnnotations } from "../protocol/mcp.ts";
import type { Actor } from "./call.ts";

/** A call as rules see it. */
export interface RuleSubject {
  server: string;
  /** Every name that a glob may be written for: own, exposed, `SERVER.TOOL`; one match is enough. */
  names: readonly string[];
  actor: Actor;
  annotations: ToolAnnotations;
  arguments: JsonObject;
}

/** What the rules say; `rule` is the first of the strongest, absent where none matched: then it is the actor's default. */
export interface Decision {
  do: PolicyRule["do"];
  rule?: PolicyRule;
  /** The person said yes beforehand (`answers`): that answers plugins that ask, too. */
  isAnswered?: true;
}

/** What of a server's config decides about its tools. */
export interface ServerPolicy {
  name: string;
  allowedTools?: readonly string[];
  deniedTools?: readonly string[];
  approval?: "policy" | "always" | "never";
  toolsWithoutApproval?: readonly string[];
}

/** Makes one function of all rules. */
export function compileRules(policy: readonly PolicyRule[]): (subject: RuleSubject) => Decision {
  if (policy.length === 0) return byDefault;
  const byStrength = (["deny", "ask", "allow"] as const).flatMap((strength) =>
    policy.filter((rule) => rule.do === strength && !isByHintsAlone(rule)),
  );
  const answers = policy.filter((rule) => rule.do === "allow" && rule.answers === true);
  return (subject) => {
    const strongest = byStrength.find((one) => matches(one, subject));
    if (strongest === undefined) return byDefault(subject);
    if (strongest.do === "deny") return { do: "deny", rule: strongest };
    const answer = answers.find((one) => matches(one, subject));
    if (answer === undefined) return { do: strongest.do, rule: strongest };
    const rule = strongest.do === "ask" ? answer : strongest;
    return { do: "allow", rule, isAnswered: true };
  };
}

/**
 * An allow that no tool and no server is named in, but what tools say of themselves: it answers nothing, for any server can
 * say so.
 */
export function isByHintsAlone({ do: decision, tools, servers, annotations }: PolicyRule): boolean {
  if (decision !== "allow" || annotations === undefined) return false;
  return Object.keys(annotations).length > 0 && isAny(tools) && isAny(servers);
}

/** The rules that a server's `approval` and `toolsWithoutApproval` stand for. */
export function approvalRules(server: ServerPolicy, names: readonly string[]): PolicyRule[] {
  const { approval = "policy", toolsWithoutApproval = [] } = server;
  if (approval === "never") return [{ do: "allow", reason: `approval of server ${server.name}` }];
  if (approval === "policy" || matchesAny(toolsWithoutApproval, names)) return [];
  return [{ do: "ask", reason: `approval of server ${server.name} is "always"` }];
}

/** Whether a server's `allowedTools` and `deniedTools` offer a tool: denied wins, an empty allow list offers none. */
export function isOffered(server: ServerPolicy, names: readonly string[]): boolean {
  if (matchesAny(server.deniedTools ?? [], names)) return false;
  return server.allowedTools === undefined || matchesAny(server.allowedTools, names);
}

/** The patterns that match no tool at all: most likely a typing error. */
export function idlePatterns(
  patterns: readonly string[],
  tools: readonly (readonly string[])[],
): string[] {
  return patterns.filter((pattern) => !tools.some((names) => matchesAny([pattern], names)));
}

/** A rule as its writer would know it again: `--deny-tool "x*"`, `the rule for "fs_*" in mcphost.json`. */
export function describeRule(rule: PolicyRule): string {
  const { origin, reason } = rule;
  const tools = rule.tools === undefined ? "" : JSON.stringify(rule.tools);
  if (origin === undefined) return tools === "" ? (reason ?? "a rule") : `the rule for ${tools}`;
  if (origin.file === undefined) return `${origin.label} ${tools}`.trimEnd();
  return tools === "" ? `a rule in ${origin.label}` : `the rule for ${tools} in ${origin.label}`;
}

// --- internal ---

const allowed: Decision = { do: "allow" };
const asked: Decision = { do: "ask" };

/** A person's own calls are theirs, and the client of a gateway asks its own user; scripts and models are asked about. */
function byDefault({ actor }: RuleSubject): Decision {
  return actor === "script" || actor === "model" ? asked : allowed;
}

function isAny(glob: string | undefined): boolean {
  return glob === undefined || /^\*+$/.test(glob);
}

function matches(rule: PolicyRule, subject: RuleSubject): boolean {
  return (
    (rule.tools === undefined || matchesAny([rule.tools], subject.names)) &&
    (rule.servers === undefined || matchesGlob(rule.servers, subject.server)) &&
    (rule.actor === undefined || rule.actor === subject.actor) &&
    matchesAnnotations(rule.annotations ?? {}, subject.annotations) &&
    matchesArguments(rule.arguments ?? {}, subject.arguments)
  );
}

function matchesAny(patterns: readonly string[], names: readonly string[]): boolean {
  return patterns.some((pattern) => names.some((name) => matchesGlob(pattern, name)));
}

/** A hint that is not given has the protocol's cautious default; what only reads destroys nothing (protocol.md 1.13). */
function matchesAnnotations(wanted: Record<string, boolean>, given: ToolAnnotations): boolean {
  const readOnlyHint = given.readOnlyHint ?? false;
  const hints: Record<string, unknown> = {
    destructiveHint: !readOnlyHint,
    idempotentHint: false,
    openWorldHint: true,
    ...given,
    readOnlyHint,
  };
  return Object.entries(wanted).every(([hint, value]) => hints[hint] === value);
}

function matchesArguments(wanted: Record<string, string>, given: JsonObject): boolean {
  return Object.entries(wanted).every(([pointer, pattern]) => {
    const value = atPointer(given, pointer);
    if (value === undefined) return false;
    return matchesGlob(pattern, typeof value === "string" ? value : JSON.stringify(value));
  });
}
