/** The modern envelope, results and discovery as data. */
import { describe, expect, test } from "bun:test";

import { modernCodec, readDiscover } from "../../lib/protocol/modern.ts";

const clientInfo = { name: "mcphost", version: "1" };
const codec = modernCodec("2026-07-28");

test("every request carries the envelope, over the caller's own _meta", () => {
  const envelope = {
    clientInfo,
    capabilities: { elicitation: {} },
    progressToken: 3,
    logLevel: "info" as const,
  };
  const given = {
    name: "t",
    _meta: { traceparent: "00-1", "io.modelcontextprotocol/protocolVersion": "x" },
  };
  expect(codec.params(given, envelope)).toEqual({
    name: "t",
    _meta: {
      traceparent: "00-1",
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/logLevel": "info",
      progressToken: 3,
    },
  });
  const { _meta: bare } = codec.params({}, { clientInfo, capabilities: {} });
  expect(Object.keys(bare as object)).toEqual([
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
  ]);
});

describe("results", () => {
  test("absent and complete resultType are complete, with all their members", () => {
    for (const result of [{ content: [] }, { resultType: "complete", x: 0 }, { resultType: null }])
      expect(codec.decode("tools/call", result)).toEqual({ kind: "complete", result });
  });

  test("a task is an answer to tools/call, and to nothing else", () => {
    const result = { resultType: "task", taskId: "t", status: "working" };
    expect(codec.decode("tools/call", result)).toEqual({ kind: "complete", result });
    expect(codec.decode("prompts/get", result)).toMatchObject({ kind: "invalid" });
  });

  test.each([[1], ["tasks"], [{}], [""]])("resultType %j is invalid", (resultType) => {
    expect(codec.decode("tools/call", { resultType })).toMatchObject({ kind: "invalid" });
  });

  test("what is no object is invalid", () => {
    for (const bad of [null, 0, "x", []])
      expect(codec.decode("tools/list", bad)).toMatchObject({ kind: "invalid" });
  });

  test("input_required is read with its keys and its opaque state", () => {
    const inputRequests = JSON.parse(
      '{"a":{"method":"elicitation/create","params":{"q":1}},"__proto__":{"method":"roots/list"}}',
    );
    const decoded = codec.decode("tools/call", {
      resultType: "input_required",
      inputRequests,
      requestState: "s",
    });
    if (decoded.kind !== "input") throw new Error(decoded.kind);
    expect(Object.entries(decoded.inputRequests)).toEqual([
      ["a", { method: "elicitation/create", params: { q: 1 } }],
      ["__proto__", { method: "roots/list", params: {} }],
    ]);
    expect(decoded.requestState).toBe("s");
    expect(
      codec.decode("prompts/get", {
        resultType: "input_required",
        inputRequests: null,
        requestState: "",
      }),
    ).toEqual({
      kind: "input",
      inputRequests: {},
      requestState: "",
    });
  });

  test.each([
    [{}],
    [{ inputRequests: null, requestState: null }],
    [{ inputRequests: [] }],
    [{ inputRequests: { a: null } }],
    [{ inputRequests: { a: {} } }],
    [{ requestState: 5 }],
  ])("input_required with %j is invalid", (more) => {
    expect(
      codec.decode("tools/call", { resultType: "input_required", ...more } as never),
    ).toMatchObject({ kind: "invalid" });
  });

  test("only the three methods may ask", () => {
    const asks = { resultType: "input_required", requestState: "s" };
    expect(codec.decode("tools/list", asks)).toMatchObject({ kind: "invalid" });
    expect(codec.decode("resources/read", asks)).toMatchObject({ kind: "input" });
  });
});

describe("server/discover", () => {
  test("is filled in where it is silent", () => {
    expect(
      readDiscover({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
    ).toEqual({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: undefined,
      instructions: undefined,
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  test("is taken with what it says", () => {
    expect(
      readDiscover({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: {},
        instructions: "i",
        ttlMs: 5,
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } },
      }),
    ).toMatchObject({
      serverInfo: { name: "s", version: "1" },
      instructions: "i",
      ttlMs: 5,
      cacheScope: "public",
    });
  });

  test("no capabilities are none, as PHP writes them, too", () => {
    const supportedVersions = ["2026-07-28"];
    expect(readDiscover({ supportedVersions, capabilities: [] })).toMatchObject({
      supportedVersions,
      capabilities: {},
    });
    expect(readDiscover({ supportedVersions, capabilities: ["tools"] })).toBeUndefined();
  });

  test.each([
    [null],
    [{}],
    ["x"],
    [{ supportedVersions: "2026-07-28", capabilities: {} }],
    [{ supportedVersions: [1], capabilities: {} }],
    [{ supportedVersions: [], capabilities: 1 }],
    [{ supportedVersions: [], resultType: "task" }],
  ])("%j is none", (result) => {
    expect(readDiscover(result as never)).toBeUndefined();
  });
});
