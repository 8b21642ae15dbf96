/** Eras over one link: what is remembered of a server is used, and found out where it is stale. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, modernScript, probeAnswered, scripted } from "./kit.ts";

test("a remembered legacy server is greeted at once, and nothing new is learned", async () => {
  const verdict = { era: "legacy", revision: "2025-11-25", server: "scripted@1.0.0" } as const;
  const server = scripted(legacyScript(), { verdict });
  await using client = await connect(server.options);
  expect(server.methods()).toEqual(["initialize", "notifications/initialized"]);
  expect(client.verdict).toBe(verdict);
});

test("a remembered legacy server of another version is stale, and is probed the next time", async () => {
  const verdict = { era: "legacy", revision: "2025-11-25", server: "scripted@0.9.0" } as const;
  const first = scripted(legacyScript(), { verdict });
  await using client = await connect(first.options);
  expect(client.verdict).toMatchObject({ era: "legacy", stale: true });
  const second = scripted(modernScript(), { verdict: client.verdict });
  await using again = await connect(second.options);
  expect(again.verdict).toEqual({
    era: "modern",
    revision: "2026-07-28",
    server: "scripted@2.0.0",
  });
});

test("a remembered legacy server that became modern-only is found out on the same link", async () => {
  const verdict = { era: "legacy", revision: "2025-11-25" } as const;
  const server = scripted(modernScript(), { verdict });
  await using client = await connect(server.options);
  expect(client.verdict).toEqual({
    era: "modern",
    revision: "2026-07-28",
    server: "scripted@2.0.0",
  });
  expect(server.links).toBe(1);
  expect(server.methods()).toEqual(["initialize", "server/discover"]);
});

test("a remembered modern server gets the start time for its probe", async () => {
  const verdict = { era: "modern", revision: "2026-07-28", server: "scripted@2.0.0" } as const;
  const server = scripted(
    async (message, far) => {
      await Bun.sleep(60);
      return await modernScript()(message, far);
    },
    { verdict, probeTimeoutMs: 5 },
  );
  await using client = await connect(server.options);
  expect(client.verdict).toBe(verdict);
  expect(server.methods()).toEqual(["server/discover"]);
});

test("a remembered modern server that refuses discover is greeted as legacy", async () => {
  const verdict = { era: "modern", revision: "2026-07-28" } as const;
  const server = scripted(legacyScript(), { verdict });
  await using client = await connect(server.options);
  expect(client.verdict).toEqual({
    era: "legacy",
    revision: "2025-11-25",
    server: "scripted@1.0.0",
  });
});

test("a remembered modern server that is silent is greeted as legacy in the end", async () => {
  const verdict = { era: "modern", revision: "2026-07-28" } as const;
  const server = scripted(
    probeAnswered(() => {}),
    { verdict, startTimeoutMs: 60, probeTimeoutMs: 50 },
  );
  await using client = await connect(server.options);
  expect(client.verdict.era).toBe("legacy");
});
