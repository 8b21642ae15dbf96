/** The audit log by the program: what is written of calls, where, and how it is read again. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, type TempDir, tempDir } from "../harness.ts";
import { tools } from "../host/kit.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { serveProgram } from "../serve/program-kit.ts";

setDefaultTimeout(30_000);

const program = join(root, "test/fixtures/host/server.ts");
const plan = JSON.stringify({ tools: tools("echo", "silent", "wait", "die") });
const server = ["--", ...bunAlone, program, plan];

const audited = ["--config-json", '{"audit":true}'];

interface Event {
  call: string;
  event: string;
  outcome?: string;
  owner: string;
  detail?: Record<string, unknown>;
}

async function eventsIn(home: TempDir, ...flags: string[]): Promise<Event[]> {
  const run = await mcphost("log", "--json", "-n", "all", ...flags)
    .home(home.path)
    .run();
  expectRun(run, { stdout: /^/ });
  return run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}

const shortOf = (events: Event[]) =>
  events.map(({ event, outcome }) => `${event} ${outcome ?? ""}`.trim());

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

test.each([
  ["a pipe that nobody reads", "took nothing"],
  ["a full device", "ENOSPC"],
])("%s as that file is told once, and the call is done", async (what, why) => {
  await using home = await tempDir();
  const file = what === "a full device" ? "/dev/full" : home.file("pipe");
  if (file !== "/dev/full") Bun.spawnSync(["mkfifo", file]);
  const config = JSON.stringify({ audit: { file } });
  const run = await mcphost("call", "echo", "--config-json", config, ...server)
    .home(home.path)
    .run();
  expectRun(run, {
    stdout: "{}\n",
    stderr: new RegExp(
      `^mcphost: error: the audit file \\S+ cannot be written \\(.*${why}.*\\)\\n$`,
    ),
  });
});

test("an event in that file stands on a line of its own, whatever a full disk or a crash has left there", async () => {
  await using home = await tempDir();
  const file = home.file("events.jsonl");
  const config = JSON.stringify({ audit: { file } });
  const call = () =>
    mcphost("call", "echo", "x=1", "--config-json", config, ...server)
      .home(home.path)
      .run();
  for (const left of ['{"event":"prop', '{"event":"sent"}\n', ""]) {
    await writeFile(file, left);
    expectRun(await call(), { stdout: '{"x":"1"}\n' });
    const text = await readFile(file, "utf8");
    expect(text).toStartWith(left);
    const lines = text.slice(left.length).trimStart().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toHaveLength(4);
    expect(text.slice(left.length).startsWith("\n")).toBe(left.endsWith("p"));
  }
});

test("the log is filtered, and read by people", async () => {
  await using home = await tempDir();
  for (const x of ["1", "2"])
    await mcphost("call", "echo", `x=${x}`, ...audited, ...server)
      .home(home.path)
      .run();
  await mcphost("call", "echo", "--deny-tool", "echo", ...audited, ...server)
    .home(home.path)
    .run();
  expect(await eventsIn(home, "--outcome", "denied")).toHaveLength(1);
  expect(await eventsIn(home, "--event", "answered", "--tool", "server.e*")).toHaveLength(2);
  expect(await eventsIn(home, "--tool", "wait")).toHaveLength(0);
  expect(await eventsIn(home, "--since", "1h", "--actor", "user")).toHaveLength(10);
  expect(await eventsIn(home, "--until", "2020-01-01")).toHaveLength(0);
  const [first] = await eventsIn(home);
  expect(await eventsIn(home, "--call", first!.call.slice(0, 8))).toHaveLength(4);
  const log = (...words: string[]) =>
    mcphost("log", ...words)
      .home(home.path)
      .run();
  expectRun(await log("-n", "1"), {
    stdout:
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  decided   [0-9a-f]{8}  server\.echo  user  denied, \d+ ms, echo of .*\n$/,
  });
  for (const [flag, value] of [
    ["--since", "soon"],
    ["-n", "0"],
    ["-n", "x"],
  ] as const)
    expectRun(await log(flag, value), { code: 2, stderr: new RegExp(`mcphost: --.*${value}`) });
  expectRun(await log("all"), { code: 2, stderr: /log takes no "all"/ });
  for (const [flag, value, near] of [
    ["--outcome", "deny", /denied/],
    ["--event", "answer", /answered/],
    ["--actor", "usr", /user/],
    ["--actor", "somebody", /user, script, model, gateway/],
  ] as const)
    expectRun(await log(flag, value), {
      code: 2,
      stderr: new RegExp(`${flag} ${value}.*\n.*${near.source}`),
    });
});

test("where there is nothing, it is said what is written down", async () => {
  await using home = await tempDir();
  const log = (...words: string[]) =>
    mcphost("log", ...words)
      .home(home.path)
      .run();
  expectRun(await log(), {
    stderr: /^mcphost: there are no such events\n {2}.*one-shot calls .*"audit": true/,
  });
  await writeFile(home.file("audited.json"), '{"audit":true,"mcpServers":{}}');
  expectRun(await log("-c", home.file("audited.json")), {
    stderr: "mcphost: there are no such events\n",
  });
  expectRun(await log("--json"), { stdout: "" });
  expectRun(await log("--help"), {
    stdout: /of one-shot calls those that are\s+asked\s+about, with\s+"audit": true/,
  });
});

test("-f goes on with what happens", async () => {
  await using home = await tempDir();
  const follow = await mcphost("log", "-f", "--json", "--event", "sent").home(home.path).start();
  await using _following = follow;
  // It must be there before the call is made: nothing before counts.
  await waitFor(
    () => Bun.file(home.file("state/mcphost/store.db")).exists(),
    () => "no store",
  );
  for (let calls = 0; calls < 2; calls += 1)
    await mcphost("call", "echo", ...audited, ...server)
      .home(home.path)
      .run();
  follow.kill("SIGINT");
  const run = await Promise.race([follow.done, Bun.sleep(10_000)]);
  expect(run?.stdout.trim().split("\n").length).toBeGreaterThanOrEqual(1);
});

test("a damaged store is kept aside, and the call goes on; one of a newer program is refused", async () => {
  await using home = await tempDir();
  await mkdir(home.file("state/mcphost"), { recursive: true });
  const file = home.file("state/mcphost/store.db");
  await writeFile(file, "no database at all, but as long as a header would have to be".repeat(9));
  const call = () =>
    mcphost("call", "echo", ...audited, ...server)
      .home(home.path)
      .run();
  expectRun(await call(), { stdout: "{}\n", stderr: /is damaged: it is kept as .*damaged-/ });
  const sql = new Bun.SQL({ adapter: "sqlite", filename: file });
  await sql`update mcphost_store set version = 99`;
  await sql.close();
  expectRun(await mcphost("log").home(home.path).run(), {
    code: 2,
    stderr: /made by a newer mcphost: it has version 99/,
  });
  expectRun(
    await mcphost("serve", "--port", "0", ...server)
      .home(home.path)
      .run(),
    {
      code: 2,
      stderr: /made by a newer mcphost/,
    },
  );
});

test.each([
  [undefined, ["proposed", "decided asked", "failed cancelled"]],
  [{ audit: false }, []],
])("a call that is killed while it waits for approval is given up, with %j", async (more, ends) => {
  await using home = await tempDir();
  const config = more === undefined ? [] : ["--config-json", JSON.stringify(more)];
  const words = ["--ask-tool", "echo", "--wait-approval", ...config, ...server];
  await using call = await mcphost("call", "echo", ...words)
    .home(home.path)
    .start();
  const waiting = async () => {
    const run = await mcphost("approvals", "--json").home(home.path).run();
    return JSON.parse(run.stdout).length === 1;
  };
  await waitFor(waiting, () => "it does not wait");
  call.kill("SIGKILL");
  await call.done;
  const events = await eventsIn(home);
  expect(shortOf(events)).toEqual(ends);
  expect(shortOf(await eventsIn(home))).toEqual(ends);
  if (more === undefined)
    expect(events.at(-1)).toMatchObject({
      tool: "echo",
      actor: "user",
      detail: { message: "the process that held it ended" },
    });
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
