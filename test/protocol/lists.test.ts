import { expect, test } from "bun:test";

import * as fc from "fast-check";

import type { JsonObject } from "../../lib/base/json.ts";
import { readPrompts, readResources, readTemplates } from "../../lib/protocol/lists.ts";
import { ttlMsMax, ttlOf } from "../../lib/protocol/modern.ts";

const readers = [
  [readResources, "resources", "uri"],
  [readTemplates, "resourceTemplates", "uriTemplate"],
  [readPrompts, "prompts", "name"],
] as const;

test("whatever a server lists, each entry is read or named, and the reading never throws", () => {
  for (const [read, member, key] of readers) {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { [key]: fc.jsonValue(), title: fc.jsonValue(), arguments: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.oneof(fc.array(entry), fc.jsonValue()), (list) => {
        const seen = new Set<string>();
        const { items, warnings } = read({ [member]: list } as JsonObject, seen);
        if (!Array.isArray(list) && list !== null)
          expect(warnings[0]).toMatch(/ is not an array: (?:none was|its members were) read$/);
        const entries: unknown[] = typeof list === "object" && list ? Object.values(list) : [];
        expect(items.length).toBe(seen.size);
        const out = warnings.filter((text) => /: left out$|listed twice/.test(text));
        expect(items.length + out.length).toBeGreaterThanOrEqual(entries.length);
        for (const item of items) expect(entries).toContain(item.raw);
      }),
    );
  }
});

test("a page knows what earlier pages had", () => {
  const seen = new Set<string>();
  readResources({ resources: [{ uri: "a:1" }] }, seen);
  const { items, warnings } = readResources({ resources: [{ uri: "a:1" }, { uri: "a:2" }] }, seen);
  expect(items.map(({ uri }) => uri)).toEqual(["a:2"]);
  expect(warnings).toEqual(['resource "a:1" is listed twice: the first one is used']);
});

test("keys that mean something to JavaScript are names like any other", () => {
  for (const name of ["__proto__", "constructor", "toString", ""]) {
    const raw = { name, arguments: [{ name, required: true }] };
    const { items, warnings } = readPrompts({ prompts: [raw] }, new Set());
    expect(warnings).toEqual([]);
    expect(items).toEqual([{ name, arguments: [{ name, required: true }], raw }]);
  }
});

test("long names are clipped in warnings", () => {
  const uri = "x".repeat(100_000);
  const { warnings } = readResources({ resources: [{ uri }, { uri }] }, new Set());
  expect(warnings[0]?.length).toBeLessThan(200);
});

test("a time is a positive number, and at most a day", () => {
  const cases: [unknown, number][] = [
    [1, 1],
    [0.5, 0.5],
    [0, 0],
    [-1, 0],
    ["1", 0],
    [null, 0],
    [undefined, 0],
    [Number.MAX_VALUE, ttlMsMax],
    [JSON.rawJSON("1e999"), 0],
  ];
  for (const [ttlMs, expected] of cases) expect(ttlOf({ ttlMs } as JsonObject)).toBe(expected);
});
