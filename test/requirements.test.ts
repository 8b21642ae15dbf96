/** The gate: each reported fault of requirements.ts is cited by a test, and no test cites one that is not there. */
import { expect, test } from "bun:test";

import { requirements } from "./requirements.ts";

/** Ids in titles and comments of all tests, each with the files that cite it. */
async function citations(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const file of new Bun.Glob("**/*.test.ts").scan(import.meta.dir)) {
    const text = await Bun.file(`${import.meta.dir}/${file}`).text();
    for (const [id] of text.matchAll(/\b[BOG]\d{3}\b/g))
      found.set(id, [...(found.get(id) ?? []), file]);
  }
  return found;
}

test("each requirement is cited by a test", async () => {
  const cited = await citations();
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
});

test("no test cites a requirement that is not there", async () => {
  const unknown = [...(await citations())].filter(([id]) => !Object.hasOwn(requirements, id));
  expect(unknown).toEqual([]);
});
