import { describe, expect, test } from "bun:test";

import type { PolicyRule } from "../../lib/config/types.ts";
import {
  approvalRules,
  compileRules,
  describeRule,
  idlePatterns,
  isOffered,
  type RuleSubject,
} from "../../lib/hooks/rules.ts";

const subject: RuleSubject = {
  server: "fs",
  names: ["write", "fs_write", "fs.write"],
  actor: "user",
  annotations: {},
  arguments: {},
};

function offered(lists: { allowedTools?: string[]; deniedTools?: string[] }): boolean {
  return isOffered({ name: "fs", ...lists }, subject.names);
}

function rules(approval: "policy" | "always" | "never", free: string[] = []): PolicyRule[] {
  return approvalRules({ name: "fs", approval, toolsWithoutApproval: free }, subject.names);
}

function decided(policy: PolicyRule[], change: Partial<RuleSubject> = {}): string {
  return compileRules(policy)({ ...subject, ...change }).do;
}

test("without a rule a person and a gateway may, scripts and models are asked about; a rule that matches wins", () => {
  const other: PolicyRule = { do: "deny", tools: "other" };
  for (const policy of [[], [other]]) {
    for (const actor of ["user", "gateway"] as const) {
      expect(decided(policy, { actor })).toBe("allow");
      expect(decided([...policy, { do: "ask", actor }], { actor })).toBe("ask");
    }
    for (const actor of ["script", "model"] as const) {
      expect(decided(policy, { actor })).toBe("ask");
      expect(decided([...policy, { do: "allow", actor }], { actor })).toBe("allow");
    }
  }
});

test("what tools say of themselves alone answers no question; for a tool or a server that is named it does", () => {
  const reading = { annotations: { readOnlyHint: true } };
  const model = { actor: "model", annotations: { readOnlyHint: true } } as const;
  for (const more of [{}, { tools: "*" }, { servers: "**" }, { actor: "model" }])
    expect(decided([{ do: "allow", ...reading, ...more }], model)).toBe("ask");
  for (const more of [{ tools: "wr*" }, { servers: "fs" }])
    expect(decided([{ do: "allow", ...reading, ...more }], model)).toBe("allow");
  expect(decided([{ do: "deny", ...reading }], model)).toBe("deny");
});

test("deny is stronger than ask, ask stronger than allow, in any order", () => {
  const all: PolicyRule[] = [{ do: "allow" }, { do: "ask" }, { do: "deny" }];
  expect(decided(all)).toBe("deny");
  expect(decided(all.toReversed())).toBe("deny");
  expect(decided([{ do: "allow" }, { do: "ask" }])).toBe("ask");
  expect(decided([{ do: "allow", tools: "other" }])).toBe("allow");
});

test("an allow that answers is stronger than ask, an approval of the server included; deny is stronger still", () => {
  const answer: PolicyRule = { do: "allow", tools: "write", answers: true };
  for (const policy of [
    [answer, { do: "ask" }],
    [{ do: "ask" }, answer],
    [...rules("always"), answer],
  ])
    expect(compileRules(policy as PolicyRule[])(subject)).toEqual({
      do: "allow",
      rule: answer,
      isAnswered: true,
    });
  expect(decided([answer, { do: "ask" }, { do: "deny" }])).toBe("deny");
  expect(decided([{ ...answer, tools: "read" }, { do: "ask" }])).toBe("ask");
});

test("a glob is tried against own name, exposed name and SERVER.TOOL; case counts", () => {
  for (const tools of ["write", "fs_w*", "fs.write", "*"])
    expect(decided([{ do: "deny", tools }])).toBe("deny");
  for (const tools of ["Write", "writ", "git.*", "fs"])
    expect(decided([{ do: "deny", tools }])).toBe("allow");
});

test("servers, actors and several conditions at once", () => {
  expect(decided([{ do: "deny", servers: "f*" }])).toBe("deny");
  expect(decided([{ do: "deny", servers: "git" }])).toBe("allow");
  expect(decided([{ do: "deny", actor: "model" }])).toBe("allow");
  expect(decided([{ do: "deny", actor: "model" }], { actor: "model" })).toBe("deny");
  expect(decided([{ do: "deny", tools: "write", servers: "git" }])).toBe("allow");
});

test("annotations not given count by their cautious defaults", () => {
  const destructive: PolicyRule[] = [{ do: "deny", annotations: { destructiveHint: true } }];
  expect(decided(destructive)).toBe("deny");
  expect(decided(destructive, { annotations: { destructiveHint: false } })).toBe("allow");
  expect(decided(destructive, { annotations: { readOnlyHint: true } })).toBe("allow");
  const reading: PolicyRule[] = [{ do: "deny", annotations: { readOnlyHint: false } }];
  expect(decided(reading)).toBe("deny");
  expect(decided([{ do: "deny", annotations: { constructor: true } }])).toBe("allow");
});

describe("arguments by JSON pointer", () => {
  test.each([
    [{ "/path": "/etc/*" }, { path: "/etc/passwd" }, "deny"],
    [{ "/path": "/etc/*" }, { path: "/home" }, "allow"],
    [{ "/path": "/etc/*" }, {}, "allow"],
    [{ "/a~1b/0": "x" }, { "a/b": ["x"] }, "deny"],
    [{ "/n": "5" }, { n: 5 }, "deny"],
    [{ "/n": "null" }, { n: null }, "deny"],
    [{ "": '*"path"*' }, { path: 1 }, "deny"],
    [{ "/__proto__": "*" }, {}, "allow"],
    [{ "/path": "*", "/mode": "w" }, { path: "x", mode: "r" }, "allow"],
  ])("%j over %j: %s", (pointers, given, expected) => {
    const rule: PolicyRule = { do: "deny", arguments: pointers as Record<string, string> };
    expect(decided([rule], { arguments: given })).toBe(expected);
  });
});

test("what a server offers: denied wins, an empty list offers none, allowing elsewhere widens nothing", () => {
  expect(offered({})).toBe(true);
  expect(offered({ allowedTools: ["wr*"] })).toBe(true);
  expect(offered({ allowedTools: ["read"] })).toBe(false);
  expect(offered({ allowedTools: [] })).toBe(false);
  expect(offered({ allowedTools: ["*"], deniedTools: ["fs_write"] })).toBe(false);
});

test("approval of a server is a rule like any other", () => {
  expect(decided(rules("policy"))).toBe("allow");
  expect(decided(rules("always"))).toBe("ask");
  expect(decided(rules("always", ["write"]))).toBe("allow");
  expect(decided([...rules("never"), { do: "deny" }])).toBe("deny");
});

test("patterns that match nothing are found", () => {
  expect(idlePatterns(["write", "fs.*", "tpyo"], [subject.names])).toEqual(["tpyo"]);
});

test("a rule is named as its writer would know it", () => {
  const flag = { label: "--deny-tool", kind: "named" } as const;
  expect(describeRule({ do: "deny", tools: "x*", origin: flag })).toBe('--deny-tool "x*"');
  const file = { label: "mcphost.json", file: "/p/mcphost.json", kind: "found" } as const;
  expect(describeRule({ do: "deny", tools: "x*", origin: file })).toBe(
    'the rule for "x*" in mcphost.json',
  );
  expect(describeRule({ do: "deny", servers: "x", origin: file })).toBe("a rule in mcphost.json");
});
