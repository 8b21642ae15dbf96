/**
 * Side by side with a real llama-server over one config: the same fields, status codes and bodies of `/tools`, but for
 * the differences that are wanted, each of which is written down here. `LLAMA_SERVER` names the program; without it
 * nothing is compared.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { type ServedHost, serveOver } from "./kit.ts";

const program = process.env["LLAMA_SERVER"];
if (program === undefined) console.warn("LLAMA_SERVER is not set: llama-server is not compared");

const fixtures = join(import.meta.dir, "../fixtures");
const servers = {
  re: { command: process.execPath, args: [join(fixtures, "remote/stdio.ts")] },
  echo: { command: process.execPath, args: [join(fixtures, "servers/echo.ts")] },
  dead: { command: "/nonexistent/program", args: [] as string[] },
};

const ask = async (base: string, body: string) => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${base}/tools`, { method: "POST", body, headers });
  return { status: answer.status, body: (await answer.json()) as any };
};

/** What llama-server has of an answer; the rest is ours beside it. */
function theirs(mine: any, other: any): any {
  if (Array.isArray(mine) && Array.isArray(other))
    return mine.map((item, i) => theirs(item, other[i]));
  if (typeof other !== "object" || other === null || typeof mine !== "object" || mine === null)
    return mine;
  const keys = Object.keys(other).filter((key) => key in mine);
  return Object.fromEntries(keys.map((key) => [key, theirs(mine[key], other[key])]));
}

describe.skipIf(program === undefined)("llama-server", () => {
  const stack = new AsyncDisposableStack();
  let url = "";
  let kit: ServedHost;

  beforeAll(async () => {
    const folder = stack.use(await tempDir());
    const written = { mcpServers: Object.fromEntries(Object.entries(servers).map(withTimeout)) };
    await Bun.write(folder.file("servers.json"), JSON.stringify(written));
    const free = Bun.serve({ port: 0, fetch: () => new Response() });
    const { port } = free;
    await free.stop(true);
    const config = folder.file("servers.json");
    const listen = ["--host", "127.0.0.1", "--port", String(port), "--no-ui"];
    const child = Bun.spawn([program!, ...listen, "--mcp-servers-config", config], {
      stdout: "ignore",
      stderr: "ignore",
    });
    stack.defer(async () => {
      child.kill("SIGKILL");
      await child.exited;
    });
    url = `http://127.0.0.1:${port}`;
    const up = () =>
      fetch(`${url}/tools`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitFor(up, "llama-server", 30_000);
    kit = stack.use(serveOver(Object.fromEntries(Object.entries(servers).map(withTimeout))));
  }, 40_000);
  afterAll(() => stack.disposeAsync());

  test("GET /tools: every entry with each of its fields, in its order", async () => {
    const other = (await (await fetch(`${url}/tools`)).json()) as any;
    const mine = (await (await kit.ask("/tools")).json()) as any;
    expect(other.length).toBeGreaterThan(20);
    expect(theirs(mine, other)).toEqual(other);
  });

  test.each([
    '{"tool":"re_echo","params":{"text":"hi"}}',
    '{"tool":"echo_echo","params":{"message":"hi"}}',
    '{"tool":"re_add","params":{"a":1.5,"b":2}}',
    '{"tool":"re_structured","params":{"city":"Rome"}}',
    '{"tool":"re_fail","params":{}}',
    '{"tool":"re_fail","params":{"message":"no luck"}}',
    '{"tool":"re_refuse","params":{}}',
    '{"tool":"re_slow","params":{"steps":2,"ms":1}}',
  ])("the same answer to %s", async (body) => {
    const other = await ask(url, body);
    const mine = await ask(kit.served.url, body);
    expect({ ...mine, body: theirs(mine.body, other.body) }).toEqual(other);
  });

  test.each(["[]", "null", "{bad", "", "{}", '{"tool":1}', '{"tool":"re_echo","stream":null}'])(
    "%j is a bad body for both: the same status, code and type, in clearer words",
    async (body) => {
      const other = await ask(url, body);
      const mine = await ask(kit.served.url, body);
      const { message: _theirs, ...rest } = other.body;
      expect(mine.status).toBe(other.status);
      expect(mine.body).toMatchObject(rest);
      expect(mine.body.message).toBeString();
    },
  );

  test.each(['{"tool":"nope"}', '{"tool":"__proto__"}', '{"tool":"nope","stream":true}'])(
    "%s: the same status and type, and wanted: it says which tool is unknown",
    async (body) => {
      const other = await ask(url, body);
      const mine = await ask(kit.served.url, body);
      expect([mine.status, mine.body.error.type]).toEqual([other.status, other.body.error.type]);
      expect(mine.body.error.message).toContain("unknown tool");
    },
  );

  test.each<[string, string]>([
    ["a call that times out", '{"tool":"re_hang","params":{}}'],
    ["a server that dies", '{"tool":"re_drop","params":{}}'],
    ["an error without a text", '{"tool":"re_fail","params":{"message":""}}'],
    ["arguments that do not fit", '{"tool":"re_echo","params":{}}'],
  ])("%s: `error` at the same status, in our words", async (_what, body) => {
    const other = await ask(url, body);
    const mine = await ask(kit.served.url, body);
    expect([mine.status, typeof mine.body.error]).toEqual([other.status, typeof other.body.error]);
  });

  test("wanted: arguments stay untouched", async () => {
    const body = '{"tool":"re_region","params":{"region":"x","cwd":"/x","runtime":"r"}}';
    expect((await ask(url, body)).body.plain_text_response).not.toContain("runtime");
    expect((await ask(kit.served.url, body)).body.plain_text_response).toContain('"cwd":"/x"');
  });

  test("wanted: all content is kept, and text of every kind is text", async () => {
    const body = '{"tool":"re_mixed","params":{}}';
    expect((await ask(url, body)).body).toEqual({ plain_text_response: "one" });
    const mine = await ask(kit.served.url, body);
    expect(mine.body.plain_text_response).toBe("one\nnote://one\nfirst");
    expect(mine.body.content).toHaveLength(4);
  });

  test("wanted: every tool can be streamed", async () => {
    const body = '{"tool":"re_echo","params":{"text":"hi"},"stream":true}';
    expect((await ask(url, body)).status).toBe(404);
    const headers = { "content-type": "application/json" };
    const answer = await kit.ask("/tools", { method: "POST", body, headers });
    expect(await answer.text()).toContain('data: {"chunk":"hi"}');
  });

  test("wanted: a foreign Host or Origin is refused, and so is a body of no type", async () => {
    const headers = { origin: "http://evil.example" };
    expect((await fetch(`${url}/tools`, { headers })).status).toBe(200);
    expect((await kit.ask("/tools", { headers })).status).toBe(403);
    const body = '{"tool":"re_echo","params":{"text":"hi"}}';
    expect((await fetch(`${url}/tools`, { method: "POST", body })).status).toBe(200);
    expect((await kit.ask("/tools", { method: "POST", body })).status).toBe(415);
  });

  test("wanted: a tool of a server that is down is an error of that server, not an unknown one", async () => {
    const body = '{"tool":"dead_x"}';
    expect((await ask(url, body)).status).toBe(404);
    const mine = await ask(kit.served.url, body);
    expect([mine.status, mine.body.code]).toEqual([200, "server_start"]);
  });
});

// --- internal ---

function withTimeout([name, server]: [string, { command: string; args: string[] }]) {
  return [name, { ...server, timeout_ms: 1500, timeoutMs: 1500 }] as const;
}
