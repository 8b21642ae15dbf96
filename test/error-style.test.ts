/** Errors read as of one hand: messages and hints begin in lower case (but for names) and end without a full stop. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { root } from "./harness.ts";

const literal = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/.source;
const sites = [
  new RegExp(`new HostError\\(\\s*(?:"\\w+"|\\w+),\\s*(?:${literal})`, "g"),
  new RegExp(`\\bhint(?::|\\s=)\\s*(?:${literal})`, "gi"),
  new RegExp(
    `\\b(?:fault|warning|finding|failed)\\([^"'\`;]*(?:"[\\w-]+",\\s*)?(?:${literal})`,
    "g",
  ),
];

test("messages and hints", async () => {
  const odd: string[] = [];
  let seen = 0;
  for await (const file of new Bun.Glob("lib/**/*.ts").scan(root)) {
    const source = await Bun.file(join(root, file)).text();
    for (const found of sites.flatMap((site) => [...source.matchAll(site)])) {
      const text = found.slice(1).find((group) => group !== undefined) ?? "";
      seen++;
      if (/^[A-Z][a-z]/.test(text) || /[^.…]\.$/.test(text) || /[Nn]earest:/.test(text))
        odd.push(`${file}: ${text}`);
    }
  }
  expect(odd).toEqual([]);
  expect(seen).toBeGreaterThan(150);
});
