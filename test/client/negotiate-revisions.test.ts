/** Eras over one link: the revision that is forced, echoed, refused, unknown or agreed on. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, modernScript, scripted, unknownMethod, until } from "./kit.ts";
import type { Far, Incoming } from "./kit.ts";

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

const supported = ["2027-03-01"];
test.each([
  ["refuses", { error: { code: -32022, message: "no", data: { supported } } }],
  ["answers", { result: { supportedVersions: supported, capabilities: { tools: {} } } }],
])(
  "a modern server of other revisions only, which %s, is an error that names them, and never gets initialize",
  async (_, said) => {
    const server = scripted(({ id }, far) => far.send({ id, ...said }));
    await expect(connect(server.options)).rejects.toMatchObject({
      code: "server_start",
      message: expect.stringContaining("2027-03-01"),
    });
    await until(() => server.received.length > 0);
    expect(server.methods()).toEqual(["server/discover"]);
  },
);

test.each([
  ["is malformed", (): unknown => ({ versions: ["2026-07-28"] })],
  ["is an error", (id: unknown, far: Far) => far.send({ id, error: unknownMethod })],
  ["never comes", () => undefined],
])(
  "a server whose answer to the probe %s, and which refuses initialize for our modern revision, is modern",
  async (_, discover) => {
    const script = modernScript();
    const server = scripted(
      (message, far) => {
        if (message.method === "server/discover") return void discoverWith(message, far, discover);
        if (message.method !== "initialize") return script(message, far);
        const data = { supported: ["2026-07-28"], requested: message.params.protocolVersion };
        far.send({ id: message.id, error: { code: -32022, message: "Unsupported", data } });
      },
      { probeTimeoutMs: 20 },
    );
    await using client = await connect(server.options);
    expect(client.revision).toBe("2026-07-28");
    expect((await client.callTool("one", {})).result).toMatchObject({
      content: [{ text: "done" }],
    });
    expect(server.links).toBe(1);
  },
);

function discoverWith(
  { id }: Incoming,
  far: Far,
  discover: (id: unknown, far: Far) => unknown,
): void {
  const result = discover(id, far);
  if (result !== undefined) far.send({ id, result });
}

test("a server that refuses initialize for a revision that nobody speaks yet keeps its own words", async () => {
  const server = scripted(({ id, method }, far) => {
    const data = { supported: ["2099-01-01"] };
    const error = method === "initialize" ? { code: -32022, message: "no", data } : unknownMethod;
    far.send({ id, error });
  });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("refused initialize: no"),
  });
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
