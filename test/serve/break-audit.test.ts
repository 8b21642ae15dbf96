/** Who floods the audit log, which has room for so much, would rid it of what it is kept for. */
import { expect, test } from "bun:test";

import { noted } from "../../lib/serve/guard-noted.ts";
import type { Store } from "../../lib/store/store.ts";

test("of many refused decisions a few are written down, and how many there were", async () => {
  const written: { count?: number }[] = [];
  let now = 0;
  const journal = {
    async write({ events }: { events: { detail: { count?: number } }[] }) {
      written.push(...events.map(({ detail }) => detail));
    },
  };
  const guard = noted(
    {
      approvals: { store: async () => ({ journal }) as unknown as Store },
      now: () => 0,
      steady: () => now,
      log: () => {},
    },
    {
      hostname: undefined,
      port: () => 0,
      secure: false,
      origins: [],
      publicUrl: undefined,
      tokens: [],
      startKey: "key",
    },
  );
  const refused = async (times: number) => {
    const request = new Request("http://localhost/calls/1/approve", { method: "POST" });
    for (let time = 0; time < times; time += 1)
      expect(() => guard.admit(request, { decides: true })).toThrow();
    await Bun.sleep(0);
    return written.splice(0);
  };
  expect(await refused(3)).toHaveLength(3);
  const flood = await refused(20_000);
  expect(flood.length).toBeLessThan(50);
  expect(flood.at(-1)?.count).toBe(10_000);
  now += 60_001;
  expect(await refused(1)).toHaveLength(1);
});
