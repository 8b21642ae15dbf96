/** Eras over one link: the probe comes first, and whatever answers it leads to one era. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { metaOf, modernScript, probeAnswered, scripted, unknownMethod, until } from "./kit.ts";

test("the probe is the very first message, and a modern server needs no other", async () => {
  const server = scripted(modernScript());
  await using client = await connect(server.options);
  expect(client).toMatchObject({
    era: "modern",
    revision: "2026-07-28",
    instructions: "be kind",
    serverInfo: { name: "scripted", version: "2.0.0" },
    verdict: { era: "modern", revision: "2026-07-28", server: "scripted@2.0.0" },
  });
  await client.listTools();
  expect(server.methods()).toEqual(["server/discover", "tools/list"]);
  for (const message of server.received) {
    expect(metaOf(message)).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test" },
    });
    expect(metaOf(message).progressToken).toBeDefined();
  }
});

const oddAnswers: [string, object][] = [
  ["-32601", { error: unknownMethod }],
  ["-32602", { error: { code: -32602, message: "bad params" } }],
  ["-32603", { error: { code: -32603, message: "internal" } }],
  ["-32600", { error: { code: -32600, message: "not initialized" } }],
  ["-32000", { error: { code: -32000, message: "Mcp-Session-Id header is required" } }],
  ["code 0", { error: { code: 0, message: "?" } }],
  [
    "a draft's code for versions",
    { error: { code: -32004, message: "version", data: { supported: ["2026-07-28"] } } },
  ],
  ["-32022 without a list", { error: { code: -32022, message: "version" } }],
  ["a junk result", { result: { ok: true } }],
  ["a null result", { result: null }],
  ["a result that is a text", { result: "hello" }],
  ["only legacy revisions", { result: { supportedVersions: ["2025-11-25"], capabilities: {} } }],
  ["neither result nor error", {}],
];

test.each(oddAnswers)("%s to the probe leads to initialize on the same link", async (_, answer) => {
  const server = scripted(probeAnswered(({ id }, far) => far.send({ id, ...answer })));
  await using client = await connect(server.options);
  expect(client.era).toBe("legacy");
  expect(server.links).toBe(1);
  await client.ping();
  expect(server.methods()).toEqual([
    "server/discover",
    "initialize",
    "notifications/initialized",
    "ping",
  ]);
});

test("an error with id null to the probe leads to initialize", async () => {
  const error = { code: -32700, message: "?" };
  const server = scripted(
    probeAnswered((_, far) => far.send({ id: null, error })),
    { probeTimeoutMs: 50 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("legacy");
});

test("a link that ends on the probe is opened once more, without it", async () => {
  const server = scripted(probeAnswered((_, far) => far.close()));
  await using client = await connect(server.options);
  expect(client.era).toBe("legacy");
  expect(server.links).toBe(2);
  expect(server.methods()).toEqual(["server/discover", "initialize", "notifications/initialized"]);
});

test("a link that ends on both is an error, after two starts", async () => {
  const server = scripted((_, far) => far.close());
  await expect(connect(server.options)).rejects.toMatchObject({ code: "server_start" });
  await until(() => server.links === 2);
});
