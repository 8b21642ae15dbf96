/** Addresses with globs that are made to take long. */
import { expect, test } from "bun:test";

import { Profiles } from "../../lib/serve/profiles.ts";

const profiles = new Profiles({ p: { tools: ["a_*"] } });

function narrowed(query: string) {
  const address = `http://localhost/tools?${query}`;
  return profiles.narrowed({
    request: { url: address },
    url: new URL(address),
    caller: { allows: () => true },
  });
}

function many(count: number, globOf: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => globOf(index)).join("&");
}

test("there may be so many in one address", () => {
  const allows = narrowed(many(64, (index) => `tools=*_${index}`));
  expect([allows(["a_63"]), allows(["a_64"])]).toEqual([true, false]);
  expect(() => narrowed(many(65, (index) => `tools=*_${index}`))).toThrow("at most 64");
});

test("what is asked for again and again counts once", () => {
  const again = narrowed(many(5000, () => "tools=a_*&profile=p"));
  expect([again(["a_1"]), again(["b_1"])]).toEqual([true, false]);
});

test("stars cost nothing that is not there to be matched", () => {
  const allows = narrowed(`tools=${"*b".repeat(5000)}`);
  for (let index = 0; index < 10_000; index += 1) expect(allows([`a_${index}`])).toBe(false);
});
