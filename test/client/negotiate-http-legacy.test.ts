/** Eras over HTTP (protocol.md 1.4): answers that lead to initialize, and how that may be refused. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { connect } from "../../lib/client/client.ts";
import { httpScripted, refusal } from "./http-kit.ts";
import type { Exchange } from "./http-kit.ts";
import { unknownMethod } from "./kit.ts";
import {
  failureOf,
  handshake,
  legacy,
  probed,
  revision,
  unsupported,
} from "./negotiate-http-kit.ts";

function ended(cause?: unknown): HostError {
  const facts = { sent: true, httpStatus: 200 };
  return new HostError("server_exit", "no answer", { facts, cause });
}

test("B026: a server that never takes notifications/initialized is asked all the same", async () => {
  const server = httpScripted(legacy, { startTimeoutMs: 60_000, protocol: "legacy" });
  const { open } = server.options;
  server.options.open = async () => {
    const link = await open();
    const send = link.send.bind(link);
    link.send = async (message, options) => {
      await send(message, options);
      if ("method" in message && !("id" in message)) await new Promise(() => {});
    };
    return link;
  };
  await using client = await connect(server.options);
  expect((await client.listTools()).tools).toHaveLength(1);
  expect(server.methods).toEqual(["initialize", "notifications/initialized", "tools/list"]);
});

describe("legacy", () => {
  const rows: [string, Exchange][] = [
    ["HTTP 400", { status: 400 }],
    ["HTTP 404", { status: 404 }],
    ["HTTP 405", { status: 405 }],
    ["HTTP 406", { status: 406 }],
    ["HTTP 422", { status: 422 }],
    // O002: supergateway says this with 404
    ["-32601", { error: unknownMethod }],
    ["-32600", { error: { code: -32600, message: "not initialized" } }],
    ["-32602", { error: { code: -32602, message: "bad" } }],
    ["-32000, no session", { error: { code: -32000, message: "Mcp-Session-Id required" } }],
    [
      "-32004 of a draft",
      { error: { code: -32004, message: "?", data: { supported: [revision] } } },
    ],
    ["-32001 of a draft", { error: { code: -32001, message: "headers" } }],
    ["-32022 that lists legacy alone", unsupported("2025-11-25", "2025-06-18")],
    ["a result that is none", { result: {} }],
  ];
  test.each(rows)("%s to the probe leads to initialize", async (_, answer) => {
    const server = httpScripted(probed([answer]));
    await using client = await connect(server.options);
    expect(client.verdict).toEqual({
      era: "legacy",
      revision: "2025-11-25",
      server: "scripted@1.0",
    });
    expect(server.methods).toEqual(handshake);
    expect(server.links).toBe(1);
  });
});

// B016
test.each([
  ["supported versions: 2025-06-18, 2024-11-05", ["2025-11-25", "2025-06-18"]],
  ['{"error":"unsupported","supported":["2024-11-05"]}', ["2025-11-25", "2024-11-05"]],
  ["bad request", ["2025-11-25"]],
])("initialize refused by HTTP 400 with %j", async (body, asked) => {
  const revisions: string[] = [];
  const server = httpScripted((one) => {
    if (one.method !== "initialize") return legacy(one);
    revisions.push(one.params.protocolVersion);
    return revisions.length === 1 ? { failure: refusal(400, body) } : legacy(one);
  });
  const connected = await connect(server.options).then(
    (client) => client[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
  expect(revisions).toEqual(asked);
  if (asked.length === 1) expect(connected).toMatchObject({ facts: { httpStatus: 400, body } });
});

// B028
test("a web page instead of an answer is one request, and its own error", async () => {
  const facts = { server: "far", sent: true, httpStatus: 200, contentType: "text/html" };
  const failure = new HostError("rpc_error", "expected JSON, got text/html", { facts });
  const server = httpScripted(() => ({ failure }));
  expect(await failureOf(connect(server.options))).toMatchObject({
    code: "server_start",
    message: "expected JSON, got text/html",
  });
  expect(server.methods).toEqual(["server/discover"]);
});

test("a stream that ended without the answer leads to initialize, one that broke proves nothing", async () => {
  const polite = httpScripted(probed([{ failure: ended() }]));
  await using client = await connect(polite.options);
  expect(client.era).toBe("legacy");
  const broken = httpScripted(probed([{ failure: ended(new Error("reset")) }]));
  await failureOf(connect(broken.options));
  expect(broken.methods).toEqual(["server/discover"]);
});

test("an era that was asked for is the only one that is tried", async () => {
  const legacyAlone = httpScripted(legacy, { protocol: "2025-06-18" });
  await using client = await connect(legacyAlone.options);
  expect(client.revision).toBe("2025-06-18");
  expect(legacyAlone.methods).toEqual(handshake.slice(1));
  const modernAlone = httpScripted(legacy, { protocol: "modern" });
  expect(await failureOf(connect(modernAlone.options))).toMatchObject({ code: "server_start" });
  expect(modernAlone.methods).toEqual(["server/discover"]);
});

test("what refused initialize is told with its method and status", async () => {
  const server = httpScripted(() => ({ status: 405 }));
  expect(await failureOf(connect(server.options))).toMatchObject({
    code: "server_start",
    message: 'server "far" answered HTTP 405',
    facts: { method: "initialize", httpStatus: 405 },
  });
});
