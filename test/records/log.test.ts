/** The audit log by the program: what is written of calls, and where. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { serveProgram } from "../serve/program-kit.ts";
import { audited, type Event, eventsIn, plan, program, server, shortOf } from "./log-kit.ts";

setDefaultTimeout(30_000);

test("a one-shot call opens no store, unless the config asks for the log", async () => {
  await using home = await tempDir();
  expectRun(
    await mcphost("call", "echo", "x=1", ...server)
      .home(home.path)
      .run(),
    {
      stdout: '{"x":"1"}\n',
    },
  );
  expect(await readdir(home.path)).not.toContain("state");
  const run = await mcphost("call", "echo", "x=1", ...audited, ...server)
    .home(home.path)
    .run();
  expectRun(run, { stdout: '{"x":"1"}\n' });
  const events = await eventsIn(home);
  expect(shortOf(events)).toEqual(["proposed", "decided allowed", "sent", "answered completed"]);
  expect(new Set(events.map(({ call }) => call)).size).toBe(1);
  expect(events[0]!.detail).toEqual({ arguments: { x: "1" } });
  expect(events[3]!.detail).toMatchObject({
    durationMs: expect.any(Number),
    bytes: expect.any(Number),
  });
});

test("what is denied is written down with the rule, and was never sent", async () => {
  await using home = await tempDir();
  const call = mcphost("call", "echo", "--deny-tool", "ec*", ...audited, ...server);
  expectRun(await call.home(home.path).run(), { code: 5, stderr: /denied by --deny-tool "ec\*"/ });
  const events = await eventsIn(home);
  expect(shortOf(events)).toEqual(["proposed", "decided denied"]);
  expect(events[1]!.detail).toMatchObject({
    code: "denied",
    rule: '--deny-tool "ec*"',
  });
});

test("what plugins do not offer is written down as denied, too", async () => {
  await using home = await tempDir();
  const hide = join(home.path, "hide.ts");
  const hooks = "{ listTools: (all) => all.filter(({ tool }) => tool !== 'echo') }";
  await writeFile(hide, `export default { name: "hide", hooks: ${hooks} };`);
  const call = mcphost("call", "echo", "x=1", "--plugin", hide, ...audited, ...server);
  expectRun(await call.home(home.path).run(), { code: 5, stderr: /a plugin leaves it out/ });
  const events = await eventsIn(home);
  expect(shortOf(events)).toEqual(["proposed", "decided denied"]);
  expect(events[0]!.detail).toEqual({ arguments: { x: "1" } });
});

test("secrets are hidden by their keys and by their values", async () => {
  await using home = await tempDir();
  const args = JSON.stringify({
    password: "abcdefgh",
    note: "the token is geheim-123456789",
    max_tokens: 7,
    nested: [{ api_key: "sk-1", fine: 1 }],
  });
  const [command, ...rest] = bunAlone;
  const env = { MY_TOKEN: "${MY_TOKEN}" };
  const config = {
    audit: true,
    mcpServers: { one: { command, args: [...rest, program, plan], env } },
  };
  const run = await mcphost("call", "echo", "--args", args, "--config-json", JSON.stringify(config))
    .home(home.path)
    .env({ MY_TOKEN: "geheim-123456789" })
    .run();
  expectRun(run, { stdout: /geheim/ });
  const [proposed] = await eventsIn(home);
  expect(proposed!.detail).toEqual({
    arguments: {
      password: "***",
      note: "the token is ***",
      max_tokens: 7,
      nested: [{ api_key: "***", fine: 1 }],
    },
  });
  const files = await readdir(home.file("state/mcphost"));
  for (const file of files)
    expect(await readFile(home.file("state/mcphost", file), "latin1")).not.toContain("geheim");
});

test("events go to a file and to stderr as well, where that is asked for", async () => {
  await using home = await tempDir();
  const config = { audit: { file: home.file("events.jsonl"), stderr: true } };
  const run = await mcphost("call", "echo", "--config-json", JSON.stringify(config), ...server)
    .home(home.path)
    .run();
  const text = await readFile(home.file("events.jsonl"), "utf8");
  expectRun(run, { stdout: "{}\n", stderr: text });
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  expect(shortOf(events)).toEqual(["proposed", "decided allowed", "sent", "answered completed"]);
});

test("serve writes every call, and what it had answered survives kill -9; what it had sent is uncertain", async () => {
  await using serve = await serveProgram(server);
  const post = (tool: string, params: object) =>
    fetch(`${serve.url}/tools`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ tool, params }),
    });
  let answered = 0;
  const load = new AbortController();
  const callers = Array.from({ length: 16 }, async () => {
    while (!load.signal.aborted) {
      const answer = await post("echo", { x: 1 }).catch(() => undefined);
      if ((await answer?.text().catch(() => undefined)) === undefined) return;
      answered += 1;
    }
  });
  const silent = post("silent", {}).catch(() => undefined);
  await waitFor(
    () => answered > 200,
    () => `only ${answered} answers`,
  );
  serve.kill("SIGKILL");
  load.abort();
  await Promise.all([...callers, silent]);
  await serve.exited;
  await nothingLeft(serve.home.path);
  const events = await eventsIn(serve.home);
  const ends = events.filter(({ event }) => event === "answered");
  expect(ends.length).toBeGreaterThanOrEqual(answered);
  expect(events.every(({ owner }) => owner === "default")).toBe(true);
  // Each that was sent and not answered is uncertain, the silent one for sure.
  const sent = new Set(events.filter(({ event }) => event === "sent").map(({ call }) => call));
  for (const { call } of ends) sent.delete(call);
  expect(sent.size).toBeGreaterThan(0);
  const sql = new Bun.SQL({
    adapter: "sqlite",
    filename: serve.home.file("state/mcphost/store.db"),
  });
  const rows: { id: string; state: string }[] = await sql`select id, state from mcphost_journal`;
  await sql.close();
  expect(rows.map(({ id }) => id).toSorted()).toEqual([...sent].toSorted());
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["uncertain"]));
});
