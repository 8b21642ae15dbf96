/** The legacy handshake as data. */
import { describe, expect, test } from "bun:test";

import {
  codecFor,
  eraOf,
  legacyRevisions,
  modernRevisions,
  newestLegacy,
  newestModern,
} from "../../lib/protocol/codecs.ts";
import { initializeParams, legacyCodec, readInitialize } from "../../lib/protocol/legacy.ts";
import { retryRevision } from "../../lib/protocol/retry-revision.ts";

const read = (protocolVersion: unknown) =>
  readInitialize({ protocolVersion } as never, "2025-11-25");
const retry = (data: unknown, code = -32_602) =>
  retryRevision({ code, message: "no", data: data as never }, "2025-11-25");
const clientInfo = { name: "mcphost", version: "1" };

test("every revision has its codec, and no other", () => {
  expect(legacyRevisions).toEqual([
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
    "2024-10-07",
  ]);
  expect([legacyRevisions[0], modernRevisions[0]]).toEqual([newestLegacy, newestModern]);
  for (const revision of legacyRevisions)
    expect(codecFor(revision)).toMatchObject({ era: "legacy", revision, ping: true });
  for (const revision of modernRevisions)
    expect(codecFor(revision)).toMatchObject({ era: "modern", revision, ping: false });
  for (const revision of ["1900-01-01", "2099-01-01", "", "__proto__"]) {
    expect(codecFor(revision)).toBeUndefined();
    expect(eraOf(revision)).toBeUndefined();
  }
});

test("initialize asks for one revision", () => {
  expect(initializeParams("2025-11-25", clientInfo, { roots: {} })).toEqual({
    protocolVersion: "2025-11-25",
    capabilities: { roots: {} },
    clientInfo,
  });
});

test("requests carry the progress token, and the caller's _meta stays", () => {
  const codec = legacyCodec("2025-06-18");
  const given = { name: "t", _meta: { a: 1, progressToken: "theirs" } };
  expect(codec.params(given, { clientInfo, capabilities: {}, progressToken: 4 })).toEqual({
    name: "t",
    _meta: { a: 1, progressToken: 4 },
  });
  expect(given).toEqual({ name: "t", _meta: { a: 1, progressToken: "theirs" } });
  expect(codec.params({ a: 1 }, { clientInfo, capabilities: {} })).toEqual({ a: 1 });
});

test("every result that is an object is complete, whatever its resultType", () => {
  const { decode } = legacyCodec("2025-11-25");
  const result = { resultType: "input_required", content: [] };
  expect(decode("tools/call", result)).toEqual({ kind: "complete", result });
  for (const bad of [null, 5, "x", [], true])
    expect(decode("tools/list", bad)).toEqual({
      kind: "invalid",
      reason: "the result of tools/list is not an object",
    });
});

describe("the answer to initialize", () => {
  test("is taken with its parts", () => {
    expect(
      readInitialize(
        {
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "2", x: 1 },
          instructions: "i",
        },
        "2025-11-25",
      ),
    ).toEqual({
      revision: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "2", x: 1 },
      instructions: "i",
    });
  });

  test.each([...legacyRevisions])("may be %s", (revision) => {
    expect(read(revision)).toMatchObject({ revision });
  });

  test("that echoes a modern version is of our newest legacy one", () => {
    expect(read("2026-07-28")).toMatchObject({ revision: "2025-11-25" });
  });

  test("of an unknown version is an error that names it", () => {
    expect(read("1999-01-01")).toEqual({
      invalid: 'it speaks protocol version "1999-01-01"',
      version: "1999-01-01",
    });
    expect(read("2099-01-01")).toMatchObject({ version: "2099-01-01" });
    expect(read(7)).toEqual({ invalid: "its protocolVersion is not a string" });
  });

  test("tolerates nulls and missing parts", () => {
    const nothing = {
      revision: "2025-11-25",
      capabilities: {},
      serverInfo: undefined,
      instructions: undefined,
    };
    expect(readInitialize({}, "2025-11-25")).toEqual(nothing);
    expect(
      readInitialize(
        { protocolVersion: null, capabilities: null, serverInfo: null, instructions: null },
        "2025-11-25",
      ),
    ).toEqual(nothing);
    expect(readInitialize(null, "2025-11-25")).toMatchObject({ invalid: expect.any(String) });
  });
});

describe("a refusal of the revision", () => {
  const rows: [string, unknown, string | undefined][] = [
    [
      "supported",
      { supported: ["2024-11-05", "2025-06-18"], requested: "2025-11-25" },
      "2025-06-18",
    ],
    ["expected", { expected: "2024-11-05" }, "2024-11-05"],
    ["as text", "supported versions: 2025-06-18, 2025-03-26", "2025-06-18"],
    ["deeper", { error: { versions: [{ version: "2025-03-26" }] } }, "2025-03-26"],
    ["only ours again", { supported: ["2025-11-25"] }, undefined],
    ["only modern", { supported: ["2026-07-28"] }, undefined],
    ["only what was asked for", { requested: "2024-11-05" }, "2025-06-18"],
    ["nothing", undefined, "2025-06-18"],
    ["null", null, "2025-06-18"],
  ];
  test.each(rows)("%s", (_, data, revision) => {
    expect(retry(data)).toBe(revision);
  });

  test("that lists nothing, but is about the version, is tried with the next older one", () => {
    expect(retry(undefined, -32_022)).toBe("2025-06-18");
    expect(retry({ supported: ["2026-07-28"] }, -32_022)).toBeUndefined();
    expect(retry(undefined, -32_600)).toBe("2025-06-18");
    expect(retry(undefined, -32_603)).toBeUndefined();
  });

  test("again: what is named was tried, and older ones are left until there is none", () => {
    expect(again("2025-06-18", "2025-03-26")).toBeUndefined();
    expect(again("2025-06-18")).toBe("2025-03-26");
    expect(again("2024-11-05")).toBe("2024-10-07");
    expect(again("2024-10-07")).toBeUndefined();
  });

  test("may name versions in its words alone", () => {
    expect(said("Unsupported: 2025-11-25 - supported: 2024-11-05, 2025-03-26")).toBe("2025-03-26");
    expect(said("Unsupported: 2025-11-25")).toBe("2025-06-18");
    expect(said("only 2026-07-28")).toBeUndefined();
  });

  test("is read within bounds", () => {
    let deep: unknown = "2024-11-05";
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(retry(deep, -32_603)).toBeUndefined();
  });
});

function said(message: string): string | undefined {
  return retryRevision({ code: -32_000, message }, "2025-11-25");
}

function again(asked: string, data?: string): string | undefined {
  return retryRevision({ code: -32_602, message: "no", ...(data && { data }) }, asked, false);
}
