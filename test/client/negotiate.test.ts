import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, metaOf, modernScript, scripted, unknownMethod, until } from "./kit.ts";
import type { Script } from "./kit.ts";

/** Answers the probe by itself, and hands the rest on. */
function probeAnswered(answer: Script, rest: Script = legacyScript()): Script {
  return (message, far) =>
    message.method === "server/discover" ? answer(message, far) : rest(message, far);
}

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

test("silence on the probe leads to initialize, and a late refusal changes nothing", async () => {
  let probe: unknown;
  const server = scripted(
    (message, far) => {
      if (message.method === "server/discover") probe = message.id;
      else if (message.method === "ping") {
        far.send({ id: probe, error: unknownMethod });
        return {};
      } else return legacyScript()(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(client.era).toBe("legacy");
  expect(server.methods()).toEqual([
    "server/discover",
    "initialize",
    "notifications/initialized",
    "ping",
  ]);
});

test("a DiscoverResult that comes late, but before initialize is answered, decides for modern", async () => {
  const modern = modernScript();
  let held: (() => void) | undefined;
  const server = scripted(
    async (message, far) => {
      if (message.method === "server/discover") await new Promise<void>((go) => (held = go));
      if (message.method === "initialize") {
        held?.();
        // Never answered: the late answer alone has to end the wait.
        return;
      }
      return modern(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
  await client.listTools();
  expect(server.methods()).toEqual(["server/discover", "initialize", "tools/list"]);
});

test("both answers at once, the probe's first: modern; nothing confirms the handshake", async () => {
  let probe: unknown;
  const server = scripted(
    (message, far) => {
      if (message.method === "server/discover") probe = message.id;
      else if (message.method === "initialize") {
        const capabilities = {};
        far.send({ id: probe, result: { supportedVersions: ["2026-07-28"], capabilities } });
        far.send({ id: message.id, result: { protocolVersion: "2025-11-25", capabilities } });
      } else return modernScript()(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
  await client.listTools();
  expect(server.methods()).not.toContain("notifications/initialized");
});

test("a DiscoverResult after initialize was answered is dropped", async () => {
  let probe: unknown;
  const server = scripted(
    (message, far) => {
      if (message.method === "server/discover") probe = message.id;
      else if (message.method === "notifications/initialized") {
        far.send({ id: probe, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
      } else return legacyScript()(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(client.era).toBe("legacy");
});

test("a refusal of initialize that overtakes the late answer to the probe does not win", async () => {
  const modern = modernScript();
  let probe: Parameters<Script>[0] | undefined;
  const server = scripted(
    async (message, far) => {
      if (message.method === "server/discover") probe = message;
      else if (message.method === "initialize" && probe) {
        far.send({ id: message.id, error: { code: -32601, message: "no initialize here" } });
        await Bun.sleep(5);
        const result = await modern(probe, far);
        far.send({ id: probe.id, result });
      } else return modern(message, far);
    },
    { probeTimeoutMs: 100 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
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

test("protocol forces an era or a revision, whatever is remembered", async () => {
  const verdict = { era: "modern", revision: "2026-07-28" } as const;
  const legacy = scripted(legacyScript(), { protocol: "legacy", verdict });
  await using a = await connect(legacy.options);
  expect(a.era).toBe("legacy");
  expect(a.verdict).toBe(verdict);
  expect(legacy.methods()[0]).toBe("initialize");

  const old = scripted(legacyScript(), { protocol: "2024-11-05" });
  await using b = await connect(old.options);
  expect(b.revision).toBe("2024-11-05");
  expect(b.verdict.stale).toBe(true);
  expect(old.received[0]?.params.protocolVersion).toBe("2024-11-05");

  const modern = scripted(modernScript(), {
    protocol: "2026-07-28",
    verdict: { era: "legacy", revision: "2025-11-25" },
  });
  await using c = await connect(modern.options);
  expect(c.era).toBe("modern");

  const refused = scripted(legacyScript(), { protocol: "modern" });
  await expect(connect(refused.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("Method not found"),
  });
  const silent = scripted(() => {}, { protocol: "modern", startTimeoutMs: 20 });
  await expect(connect(silent.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("server/discover"),
  });
  const unknown = scripted(legacyScript(), { protocol: "2031-01-01" });
  await expect(connect(unknown.options)).rejects.toMatchObject({ code: "usage" });
  expect(unknown.links).toBe(0);
});

test("a forced revision that the server does not take is said", async () => {
  const server = scripted(legacyScript({ version: "2024-11-05" }), { protocol: "2025-06-18" });
  await using client = await connect(server.options);
  expect(client.revision).toBe("2024-11-05");
  expect(server.log).toContainEqual(expect.objectContaining({ level: "warn" }));
});

test("a modern server of other revisions only is an error that names them, and never gets initialize", async () => {
  const data = { supported: ["2027-03-01"], requested: "2026-07-28" };
  const server = scripted(({ id }, far) =>
    far.send({ id, error: { code: -32022, message: "no", data } }),
  );
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("2027-03-01"),
  });
  await until(() => server.received.length > 0);
  expect(server.methods()).toEqual(["server/discover"]);
});

test.each(["2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"])(
  "an answer with %s is taken",
  async (version) => {
    const server = scripted(legacyScript({ version }));
    await using client = await connect(server.options);
    expect(client.revision).toBe(version);
  },
);

test("an echo of a modern revision in initialize makes no server modern", async () => {
  const server = scripted(legacyScript({ version: "2026-07-28" }));
  await using client = await connect(server.options);
  expect(client.era).toBe("legacy");
  expect((await client.callTool("one", {})).result).toEqual({
    content: [{ type: "text", text: "done" }],
  });
});

test("an answer with a revision that nobody knows is an error that names it", async () => {
  const server = scripted(legacyScript({ version: "1999-01-01" }));
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("1999-01-01"),
  });
});

test("a version refused by an error is followed by one retry with the best listed one", async () => {
  const asked: unknown[] = [];
  const server = scripted((message, far) => {
    if (message.method !== "initialize") return legacyScript()(message, far);
    asked.push(message.params.protocolVersion);
    if (message.params.protocolVersion === "2025-03-26") return legacyScript()(message, far);
    const data = { supported: ["2024-11-05", "2025-03-26"] };
    far.send({
      id: message.id,
      error: { code: -32602, message: "Unsupported protocol version", data },
    });
  });
  await using client = await connect(server.options);
  expect(client.revision).toBe("2025-03-26");
  expect(asked).toEqual(["2025-11-25", "2025-03-26"]);
});

test("a refused initialize is a start error with the server's own text", async () => {
  const server = scripted((message, far) => {
    if (message.method !== "initialize") return legacyScript()(message, far);
    far.send({
      id: message.id,
      error: { code: -32603, message: "no API key", data: { key: "X" } },
    });
  });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: 'server "far" refused initialize: no API key',
    facts: { server: "far", rpcCode: -32603, rpcData: { key: "X" } },
  });
});

test.each(["auto", "legacy", "modern"])(
  "a program that sends back what it gets is said to be none, asked for %s",
  async (protocol) => {
    const server = scripted((message, far) => far.send(message), { protocol });
    await expect(connect(server.options)).rejects.toMatchObject({
      code: "server_start",
      message: 'server "far" is no MCP server: it sends back what it gets',
    });
  },
);

test("a server that answers nothing is a start error after the start time; initialize is not cancelled", async () => {
  const server = scripted(() => {}, { probeTimeoutMs: 10, startTimeoutMs: 60 });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("did not answer initialize"),
  });
  await until(() => server.received.length === 2);
  expect(server.methods()).toEqual(["server/discover", "initialize"]);
});

test("aborting gives up at once, and tells the server nothing", async () => {
  const abort = new AbortController();
  const server = scripted(() => {}, { signal: abort.signal, probeTimeoutMs: 10 });
  const connecting = connect(server.options);
  await until(() => server.received.length === 2);
  abort.abort();
  await expect(connecting).rejects.toMatchObject({ code: "cancelled" });
  expect(server.methods()).toEqual(["server/discover", "initialize"]);
});

test("a signal that fired before is respected", async () => {
  const server = scripted(legacyScript(), { signal: AbortSignal.abort() });
  await expect(connect(server.options)).rejects.toMatchObject({ code: "cancelled" });
});

test("what a server sends before its greeting is taken in stride", async () => {
  const changed: string[] = [];
  const server = scripted(
    (message, far) => {
      if (message.method === "initialize") {
        far.send({ method: "notifications/tools/list_changed" });
        far.send({ id: "p", method: "ping" });
        for (let i = 0; i < 16; i++) {
          far.send({
            method: "notifications/message",
            params: { level: "info", data: `line ${i}` },
          });
        }
      }
      return legacyScript()(message, far);
    },
    { onListChanged: (list) => changed.push(list) },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(changed).toEqual([]);
  expect(server.received).toContainEqual(expect.objectContaining({ id: "p", result: {} }));
  const lines = server.log
    .filter(({ source }) => source === "notification")
    .map((entry) => entry.text);
  expect(lines).toEqual(Array.from({ length: 16 }, (_, i) => `line ${i}`));
});

test("the log level is asked for where the server can log, without waiting", async () => {
  const server = scripted(
    (message, far) =>
      message.method === "logging/setLevel"
        ? undefined
        : legacyScript({ capabilities: { logging: {} } })(message, far),
    { logLevel: "warning" },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(server.methods().slice(-2)).toEqual(["logging/setLevel", "ping"]);

  const without = scripted(legacyScript(), { logLevel: "warning" });
  await using other = await connect(without.options);
  await other.ping();
  expect(without.methods()).not.toContain("logging/setLevel");

  const modern = scripted(modernScript(), { logLevel: "warning" });
  await using third = await connect(modern.options);
  await third.listTools();
  expect(metaOf(modern.received.at(-1))["io.modelcontextprotocol/logLevel"]).toBe("warning");
});
