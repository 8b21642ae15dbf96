import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { program } from "./program.ts";

test("a process that exits on the probe is started once more, without it", async () => {
  const server = program("exits-on-probe.ts");
  await using client = await connect(server.options);
  expect(client.verdict).toEqual({
    era: "legacy",
    revision: "2025-06-18",
    server: "fixture@1.0.0",
  });
  expect(server.links).toBe(2);
  const reply = await client.callTool("echo", { a: 1 });
  expect(reply.raw()).toBe('{"content":[{"type":"text","text":"{\\"a\\":1}"}]}');
});

test("with the verdict it is started once", async () => {
  const verdict = { era: "legacy", revision: "2025-06-18", server: "fixture@1.0.0" } as const;
  const server = program("exits-on-probe.ts", [], { verdict });
  await using client = await connect(server.options);
  expect(server.links).toBe(1);
  expect(client.verdict).toBe(verdict);
});

test("a process that ends on initialize after a silent probe is started once more, too", async () => {
  const server = program("exits-late.ts", [], { probeTimeoutMs: 50 });
  await using client = await connect(server.options);
  expect(client.era).toBe("legacy");
  expect(server.links).toBe(2);
});

test("a flood on stderr for the probe is no failure and is not shown as one", async () => {
  const server = program("floods-on-probe.ts", [], { probeTimeoutMs: 50 });
  await using client = await connect(server.options);
  expect(client.era).toBe("legacy");
  expect(server.links).toBe(1);
  expect((await client.listTools()).tools).toMatchObject([{ name: "echo" }]);
  expect(server.log.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
});

test("a modern server that is slow to start is modern all the same", async () => {
  const server = program("slow-modern.ts", ["300"], { probeTimeoutMs: 50 });
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
  expect(server.links).toBe(1);
});

test("a modern-only server that was asked for the legacy era is quoted", async () => {
  const server = program("slow-modern.ts", ["0"], { protocol: "legacy" });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("this server speaks 2026-07-28 only"),
    facts: { rpcCode: -32022 },
  });
});

test.each(["start", "initialize"])(
  "a crash on %s is a start error with its evidence",
  async (when) => {
    const server = program("crashes.ts", [when]);
    await expect(connect(server.options)).rejects.toMatchObject({
      code: "server_start",
      message: expect.stringContaining("exited with code 7"),
      facts: {
        server: "fixture",
        exitCode: 7,
        stderr: expect.arrayContaining(["fixture: something is missing"]),
      },
      hint: expect.any(String),
    });
  },
);

test("a crash after initialize is never uncertain: nothing was called yet", async () => {
  const server = program("crashes.ts", ["notifications/initialized"]);
  const listed = connect(server.options).then(async (client) => {
    await using owned = client;
    return await owned.listTools();
  });
  await expect(listed).rejects.toMatchObject({
    code: expect.stringMatching(/^server_(start|exit)$/),
    facts: { exitCode: 7 },
  });
  expect(server.links).toBe(1);
});

test("a crash in a call is uncertain, with its evidence", async () => {
  const server = program("crashes.ts", ["tools/call"]);
  await using client = await connect(server.options);
  await expect(client.callTool("echo", {})).rejects.toMatchObject({
    code: "uncertain",
    facts: { exitCode: 7, stderr: expect.arrayContaining(["fixture: something is missing"]) },
  });
});

test("a server that never answers is said to be silent, with what it wrote", async () => {
  const server = program("mute.ts", [], { probeTimeoutMs: 50, startTimeoutMs: 1500 });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringMatching(/did not answer initialize in \d+(\.\d)? s/),
    facts: { stderr: ["still loading"], noise: { count: 1, first: ["Loading the model…"] } },
    hint: expect.stringContaining("Loading the model…"),
  });
});
