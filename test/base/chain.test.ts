/** What comes and goes in order, linked by itself; and found by its number. */
import { describe, expect, test } from "bun:test";

import { Chain } from "../../lib/base/chain.ts";
import type { Linked } from "../../lib/base/chain.ts";
import { NumberedChain } from "../../lib/base/numbered.ts";
import type { Numbered } from "../../lib/base/numbered.ts";

class One implements Linked<One>, Numbered<One> {
  before: One | undefined;
  after: One | undefined;
  next: One | undefined;
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

const ids = (chain: Chain<One>) => chain.all().map(({ id }) => id);

describe("a chain", () => {
  test("keeps the order in which they came, whoever goes", () => {
    const chain = new Chain<One>();
    const [a, b, c, d] = [new One(0), new One(1), new One(2), new One(3)];
    for (const one of [a, b, c, d]) chain.add(one);
    chain.delete(b);
    expect(ids(chain)).toEqual([0, 2, 3]);
    chain.delete(d);
    chain.add(b);
    expect(ids(chain)).toEqual([0, 2, 1]);
    chain.delete(a);
    expect(chain.first).toBe(c);
    chain.delete(c);
    chain.delete(b);
    expect([chain.first, chain.size]).toEqual([undefined, 0]);
  });

  test("who goes holds nobody any more, and may come again, here or in another", () => {
    const [chain, other] = [new Chain<One>(), new Chain<One>()];
    const [a, b, c] = [new One(0), new One(1), new One(2)];
    for (const one of [a, b, c]) chain.add(one);
    chain.delete(b);
    expect([b.before, b.after]).toEqual([undefined, undefined]);
    chain.delete(b);
    other.delete(b);
    expect([chain.size, other.size]).toEqual([2, 0]);
    other.add(b);
    expect([ids(chain), ids(other)]).toEqual([[0, 2], [1]]);
  });
});

test("by its number each is found as long as it is there, however many there are", () => {
  const chain = new NumberedChain<One>();
  const all = Array.from({ length: 1000 }, (_, id) => new One(id * 7));
  for (const one of all) chain.add(one);
  for (const one of all) expect(chain.find(one.id)).toBe(one);
  for (const one of all) if (one.id % 2 === 0) chain.delete(one);
  for (const one of all) expect(chain.find(one.id)).toBe(one.id % 2 === 0 ? undefined : one);
  for (const odd of [-1, 7.5, Number.NaN, 2 ** 40]) expect(chain.find(odd)).toBeUndefined();
  expect(chain.size).toBe(500);
  expect(ids(chain).slice(0, 3)).toEqual([7, 21, 35]);
});
