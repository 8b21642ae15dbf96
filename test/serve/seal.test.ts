/** Sealed values: what comes back is what was given out, for whom and what for it was, as long as it holds; or nothing. */
import { describe, expect, test } from "bun:test";

import { assert, asyncProperty, jsonValue } from "fast-check";

import type { Json } from "../../lib/base/json.ts";
import { parseJson } from "../../lib/base/json.ts";
import { Seal } from "../../lib/serve/seal.ts";

const bound = { use: "state", owner: "a", of: "one" };

describe("a sealed value", () => {
  test("is opened as it was, whatever it is, and is text that goes into a header", async () => {
    const seal = new Seal();
    await assert(
      asyncProperty(jsonValue(), async (value) => {
        const text = await seal.seal(value as Json, bound);
        expect(text).toMatch(/^[\w-]+$/);
        const opened = await seal.open(text, bound);
        expect(JSON.stringify(opened)).toBe(JSON.stringify({ value }));
      }),
      { numRuns: 50 },
    );
    const digits = "12345678901234567890";
    const opened = await seal.open(await seal.seal(parseJson(digits), bound), bound);
    expect(JSON.stringify(opened)).toBe(`{"value":${digits}}`);
  });

  test("shows nothing of what is in it, and is another each time", async () => {
    const seal = new Seal();
    const [one, other] = [await seal.seal("secret", bound), await seal.seal("secret", bound)];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, "base64url").toString("latin1")).not.toContain("secret");
  });

  test("is not opened where any of it was changed", async () => {
    const seal = new Seal();
    const text = await seal.seal({ state: "x" }, bound);
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "A" ? "B" : "A";
      expect(await seal.open(text.slice(0, at) + other + text.slice(at + 1), bound)).toBe(
        "foreign",
      );
    }
    for (const bad of [
      `${text}A`,
      `${text}-TAMPERED`,
      text.slice(1),
      text.slice(0, 8),
      "",
      "%",
      "ä",
    ])
      expect(await seal.open(bad, bound)).toBe("foreign");
  });

  test("is not opened for another owner, another use, or by another process", async () => {
    const seal = new Seal();
    const text = await seal.seal(1, bound);
    expect(await seal.open(text, { ...bound, owner: "b" })).toBe("foreign");
    expect(await seal.open(text, { ...bound, use: "task" })).toBe("foreign");
    expect(await new Seal().open(text, bound)).toBe("foreign");
  });

  test("is not opened for what it does not belong to", async () => {
    const seal = new Seal();
    const text = await seal.seal(1, bound);
    expect(await seal.open(text, { ...bound, of: "other" })).toBe("other");
    expect(await seal.open(text, { use: "state", owner: "a" })).toBe("other");
  });

  test("holds until its time is over", async () => {
    let now = 1_000_000;
    const seal = new Seal({ now: () => now });
    const text = await seal.seal(1, bound, 60_000);
    const lasting = await seal.seal(2, bound);
    now += 59_999;
    expect(await seal.open(text, bound)).toEqual({ value: 1 });
    now += 1;
    expect(await seal.open(text, bound)).toBe("expired");
    expect(await seal.open(lasting, bound)).toEqual({ value: 2 });
  });

  test("is bounded in both directions", async () => {
    const seal = new Seal({ sealedMax: 1000 });
    await expect(seal.seal("x".repeat(1000), bound)).rejects.toBeInstanceOf(RangeError);
    const text = await new Seal().seal("x".repeat(1000), bound);
    expect(await seal.open(text, bound)).toBe("foreign");
    expect(await seal.seal("x".repeat(500), bound)).toBeString();
  });
});
