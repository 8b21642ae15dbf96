/** Servers that fall silent: those that are not there at all are replaced, those that only take their time are not. */
import { expect, test } from "bun:test";

import { liveProcesses, waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";
import { fixtureKit } from "./rest-kit.ts";

/** `freeze` blocks the whole process, `silent` never answers, and `chatter` logs for ever. */
const program = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
  const calls = {
    pid: () => text(String(process.pid)),
    freeze: () => { while (true) Bun.sleepSync(60_000); },
    silent: () => undefined,
    block: ({ ms }) => (Bun.sleepSync(ms), text("blocked")),
    wait: async ({ ms }) => (await Bun.sleep(ms), text("waited")),
    chatter: (_args, _message, server) => {
      setInterval(() => server.notify("notifications/message", { level: "info", data: "x" }), 10);
      return text("chattering");
    },
  };
  const on = process.argv.includes("--no-ping") ? { ping: () => {} } : {};
  await serve({ tools: Object.keys(calls).map((name) => tool(name)), calls, on });`;

/** For servers that will not answer, and for those that will. */
const hostOptions = { pingMs: 200 };
const patient = { hostOptions: { pingMs: 5000 } };
const timeoutMs = 300;

function fixture(...flags: string[]): Record<string, Fixture> {
  return { s: { args: ["-e", program, "--", ...flags] } };
}

function call({ host }: ServedHost, tool: string, more: object = {}) {
  return host.call({ tool: `s_${tool}`, arguments: {}, ...more });
}

async function pid(it: ServedHost): Promise<number> {
  const outcome: any = await call(it, "pid");
  return Number(outcome.result?.content[0].text);
}

const warnings = ({ logged }: ServedHost) =>
  logged.filter(({ level, server }) => level === "warn" && server === "s");

test("one that answers not even a ping is stopped; its calls are told, and the next starts it again", async () => {
  await using it = serveOver(fixture(), { hostOptions });
  await it.served.context.discovery.done;
  const first = await pid(it);
  const other = call(it, "wait", { arguments: { ms: 15_000 } });
  const frozen = await call(it, "freeze", { timeoutMs });
  expect(frozen).toMatchObject({ status: "failed", sent: true });
  expect(frozen.error).toMatchObject({ code: "timeout", facts: { silent: true } });
  // Not after its own time.
  const told = await other;
  expect(told.status).toBe("uncertain");
  expect(told.error?.message).toStartWith(
    'server "s" answered nothing, not even a ping, and was stopped while it was answering tools/call of wait',
  );
  expect(it.host.servers()[0]).toMatchObject({ state: "failed", error: { code: "server_exit" } });
  expect(warnings(it)).toMatchObject([{ text: expect.stringContaining("not even a ping") }]);
  const second = await pid(it);
  expect(second).toBeGreaterThan(0);
  expect(second).not.toBe(first);
  await waitFor(async () => {
    const live = await liveProcesses(fixtureKit);
    return live.every(({ pid: id }) => id !== first);
  }, "its process to end");
});

test("one that is slow with a call and answers a ping is left alone", async () => {
  await using it = serveOver(fixture(), patient);
  await it.served.context.discovery.done;
  const first = await pid(it);
  const other = call(it, "wait", { arguments: { ms: 900 } });
  const silent = await call(it, "silent", { timeoutMs });
  expect(silent.error).toMatchObject({ code: "timeout", facts: { silent: true } });
  expect((await other).status).toBe("completed");
  expect(await pid(it)).toBe(first);
  expect(warnings(it)).toEqual([]);
});

test("B100 one that does one thing at a time is at work, and hears nobody: it is given time", async () => {
  await using it = serveOver(fixture(), patient);
  await it.served.context.discovery.done;
  const first = await pid(it);
  const blocked = await call(it, "block", { timeoutMs, arguments: { ms: 900 } });
  expect(blocked.error).toMatchObject({ code: "timeout", facts: { silent: true } });
  expect(await pid(it)).toBe(first);
  expect(warnings(it)).toEqual([]);
});

test("one that says anything at all is not even asked", async () => {
  await using it = serveOver(fixture("--no-ping"), { hostOptions });
  await it.served.context.discovery.done;
  const first = await pid(it);
  await call(it, "chatter");
  const silent = await call(it, "silent", { timeoutMs });
  expect(silent.error?.code).toBe("timeout");
  expect(silent.error?.facts).not.toHaveProperty("silent");
  await Bun.sleep(3 * hostOptions.pingMs);
  expect(await pid(it)).toBe(first);
});

test("one that talks again while it is asked is left alone", async () => {
  await using it = serveOver(fixture("--no-ping"), { hostOptions: { pingMs: 2000 } });
  await it.served.context.discovery.done;
  const first = await pid(it);
  const silent = await call(it, "silent", { timeoutMs });
  expect(silent.error?.facts).toMatchObject({ silent: true });
  await call(it, "chatter");
  await Bun.sleep(2300);
  expect(await pid(it)).toBe(first);
  expect(warnings(it)).toEqual([]);
});

test("a link to a remote one is renewed", async () => {
  const sessions: string[] = [];
  const ended: (string | null)[] = [];
  let isMute = false;
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const session = request.headers.get("mcp-session-id");
      if (request.method === "DELETE") ended.push(session);
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = (await request.json()) as any;
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "initialize") {
        isMute = false;
        const name = `session-${sessions.length}`;
        sessions.push(name);
        const { protocolVersion } = params;
        const serverInfo = { name: "r", version: "1" };
        const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
        return Response.json(
          { jsonrpc: "2.0", id, result },
          { headers: { "mcp-session-id": name } },
        );
      }
      if (params?.name === "freeze") isMute = true;
      if (isMute) return await new Promise<Response>(() => {});
      const tools = ["freeze", "which"].map((name) => ({ name, inputSchema: { type: "object" } }));
      const content = [{ type: "text", text: session }];
      const result = method === "tools/list" ? { tools } : { content };
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });
  const remote = { kind: "http", transport: "http", url: `${server.url}`, headers: {} } as const;
  const fixtures = { s: { ...remote, protocol: "legacy" } as Fixture };
  await using it = serveOver(fixtures, { hostOptions });
  await it.served.context.discovery.done;
  const frozen = await call(it, "freeze", { timeoutMs });
  expect(frozen.error?.code).toBe("timeout");
  await waitFor(() => it.host.servers()[0]?.state === "failed");
  const outcome: any = await call(it, "which");
  expect(outcome.result.content[0].text).toBe("session-1");
  await waitFor(() => ended.includes("session-0"));
});
