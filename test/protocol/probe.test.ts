/** The whole tables of era verdicts, on a pipe and over HTTP (protocol.md 1.4). */
import { describe, expect, test } from "bun:test";

import { classifyProbe } from "../../lib/protocol/probe.ts";
import type { ProbeOutcome } from "../../lib/protocol/probe.ts";

const discovered = (supportedVersions: unknown): ProbeOutcome => ({
  kind: "result",
  result: { supportedVersions, capabilities: {} } as never,
});
const error = (code: number, data?: unknown): ProbeOutcome => ({
  kind: "error",
  error: { code, message: "no", data: data as never },
});

describe("modern", () => {
  test("a DiscoverResult that lists our revision", () => {
    expect(classifyProbe(discovered(["2025-11-25", "2026-07-28", "2027-01-01"]))).toMatchObject({
      kind: "modern",
      revision: "2026-07-28",
      discovered: { ttlMs: 0, cacheScope: "private" },
    });
  });

  test("-32022 that lists our revision: ask again with it", () => {
    expect(classifyProbe(error(-32_022, { supported: ["2026-07-28"] }))).toEqual({
      kind: "retry",
      revision: "2026-07-28",
    });
  });

  test("-32022 that lists modern revisions, but none of ours: an error, never initialize", () => {
    expect(classifyProbe(error(-32_022, { supported: ["2025-11-25", "2099-01-01"] }))).toEqual({
      kind: "unsupported",
      supported: ["2025-11-25", "2099-01-01"],
    });
  });
});

describe("legacy, on the same process", () => {
  const rows: [string, ProbeOutcome][] = [
    ...[
      -32_601, -32_602, -32_600, -32_603, -32_700, -32_000, -32_001, -32_003, -32_004, -32_020,
      -32_021, 0, 1, 404,
    ].map((code): [string, ProbeOutcome] => [`error ${code}`, error(code)]),
    ["-32004 with a list, of an old draft", error(-32_004, { supported: ["2026-07-28"] })],
    ["-32022 without data", error(-32_022)],
    ["-32022 with a text for a list", error(-32_022, { supported: "2026-07-28" })],
    ["-32022 with a list of no strings", error(-32_022, { supported: [20_260_728] })],
    ["-32022 that lists only legacy", error(-32_022, { supported: ["2025-11-25"] })],
    ["-32022 that lists nothing", error(-32_022, { supported: [] })],
    ["a DiscoverResult of legacy revisions", discovered(["2025-11-25", "2025-06-18"])],
    ["a DiscoverResult of no revision", discovered([])],
    ["a DiscoverResult with a text for a list", discovered("2026-07-28")],
    ["an empty result", { kind: "result", result: {} }],
    ["a null result", { kind: "result", result: null }],
    ["a junk result", { kind: "result", result: "pong" }],
    [
      "an initialize result",
      { kind: "result", result: { protocolVersion: "2026-07-28", capabilities: {} } },
    ],
    ["neither result nor error", { kind: "malformed" }],
    ["silence", { kind: "silent" }],
  ];
  test.each(rows)("%s", (_, outcome) => {
    expect(classifyProbe(outcome)).toEqual({
      kind: "legacy",
      reason: expect.any(String),
      restart: false,
    });
  });
});

test("a process that ends on the probe is started again without one", () => {
  expect(classifyProbe({ kind: "closed" })).toMatchObject({ kind: "legacy", restart: true });
});

const kindOf = (outcome: ProbeOutcome) => classifyProbe(outcome, "http").kind;

describe("over HTTP", () => {
  test("a refusal by its status alone is legacy", () => {
    for (const httpStatus of [400, 404, 405, 406, 409, 410, 415, 422])
      expect(classifyProbe({ kind: "refused", httpStatus }, "http")).toEqual({
        kind: "legacy",
        reason: `it answered server/discover with HTTP ${httpStatus}`,
        restart: false,
      });
  });

  test("what is about the caller, the moment or the server's state proves nothing", () => {
    for (const httpStatus of [401, 403, 407, 408, 425, 429, 500, 502, 503, 504])
      expect(kindOf({ kind: "refused", httpStatus })).toBe("unknown");
    expect(kindOf({ kind: "silent" })).toBe("unknown");
    expect(kindOf({ kind: "closed" })).toBe("unknown");
  });

  test("errors that only modern servers know are answered by another try", () => {
    for (const code of [-32_020, -32_021])
      expect(classifyProbe(error(code), "http")).toEqual({ kind: "retry", revision: "2026-07-28" });
  });

  // O002; the draft's codes are evidence for legacy
  test.each([-32_601, -32_600, -32_602, -32_000, -32_001, -32_003, -32_004])(
    "error %d is legacy",
    (code) => expect(kindOf(error(code, { supported: ["2026-07-28"] }))).toBe("legacy"),
  );

  test("-32022 is as on a pipe", () => {
    expect(kindOf(error(-32_022, { supported: ["2026-07-28"] }))).toBe("retry");
    expect(kindOf(error(-32_022, { supported: ["2025-11-25"] }))).toBe("legacy");
    expect(kindOf(error(-32_022, { supported: ["2099-01-01"] }))).toBe("unsupported");
  });
});
