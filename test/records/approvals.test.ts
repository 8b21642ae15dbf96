/** Calls that are asked about, by the programs: who may decide, what runs then, and that it runs once. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import {
  bunAlone,
  expectRun,
  mcphost,
  root,
  sourceProgram,
  type TempDir,
  tempDir,
} from "../harness.ts";
import { waitFor } from "../processes.ts";
import { type Program, serveProgram } from "../serve/program-kit.ts";

setDefaultTimeout(60_000);

const server = ["--", ...bunAlone, join(root, "test/fixtures/records/counter.ts")];
const asking = ["--ask-tool", "count", ...server];

interface Row {
  id: string;
  state: string;
  tool: string;
}

const program = (home: TempDir, ...words: string[]) => mcphost(...words).home(home.path);

async function approvalsIn(home: TempDir, ...flags: string[]): Promise<Row[]> {
  const run = await program(home, "approvals", "--json", ...flags).run();
  return JSON.parse(run.stdout) as Row[];
}

/** The id of the one call that waits. */
async function waiting(home: TempDir): Promise<string> {
  let rows: Row[] = [];
  await waitFor(
    async () =>
      (rows = (await approvalsIn(home)).filter(({ state }) => state === "pending")).length === 1,
    () => JSON.stringify(rows),
  );
  return rows[0]!.id;
}

/** How often the tool ran: each run leaves a line. */
async function runs(home: TempDir): Promise<string[]> {
  const text = await readFile(home.file("runs"), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

const env = (home: TempDir) => ["--env", `RUNS=${home.file("runs")}`];

test("nobody there: refused at once, and no store is made for it", async () => {
  await using home = await tempDir();
  const run = await program(home, "call", "count", "by=1", ...env(home), ...asking).run();
  expectRun(run, { code: 5, stderr: /needs approval and nobody can be asked here/ });
  expect(await Bun.file(home.file("state/mcphost/store.db")).exists()).toBe(false);
  expect(await runs(home)).toEqual([]);
});

test("approved from another terminal, with other arguments that fit", async () => {
  await using home = await tempDir();
  await using call = await program(
    home,
    "call",
    "count",
    "by=1",
    "--wait-approval",
    ...env(home),
    ...asking,
  ).start();
  const id = await waiting(home);
  const short = id.slice(0, 8);
  expectRun(await program(home, "approvals", "show", short).run(), {
    stdout: /count of server "server"[^]*--ask-tool "count"[^]*\| +"by": 1/,
  });
  const approve = (...words: string[]) =>
    program(home, "approvals", "approve", short, ...words).run();
  expectRun(await approve("--args", "{"), { code: 2, stderr: /--args is no JSON/ });
  expectRun(await approve("--args", '{"by":"x"}'), {
    code: 2,
    stderr: /argument by: expected number/,
  });
  expectRun(await approve("--always", "never"), { code: 2, stderr: /--always never/ });
  expect((await approvalsIn(home))[0]!.state).toBe("pending");
  expectRun(await approve("--args", '{"by":5}'), { stdout: /^approved / });
  expectRun(await call.done, {
    stdout: "5\n",
    stderr: /waits for approval: mcphost approvals show/,
  });
  // Twice is once, and what is over cannot be rejected.
  expectRun(await approve(), { stdout: /^completed / });
  expectRun(await program(home, "approvals", "reject", short).run(), {
    code: 5,
    stderr: /is completed/,
  });
  expectRun(await program(home, "approvals", "acknowledge", id).run(), {
    code: 2,
    stderr: /count of server "server" is completed: only a call that is uncertain is acknowledged/,
  });
  expect(await runs(home)).toEqual(["5"]);
  expect(await approvalsIn(home)).toEqual([]);
  expect(await approvalsIn(home, "--all")).toMatchObject([{ id, state: "completed" }]);
});

test("rejected with a reason; expired; given up", async () => {
  await using home = await tempDir();
  const wait = (...words: string[]) =>
    program(
      home,
      "call",
      "count",
      "by=1",
      "--wait-approval",
      ...words,
      ...env(home),
      ...asking,
    ).start();
  {
    await using call = await wait();
    const id = await waiting(home);
    expectRun(await program(home, "approvals", "reject", id, "not", "today").run(), {
      stdout: /^rejected /,
    });
    expectRun(await call.done, { code: 5, stderr: /was rejected: not today/ });
  }
  {
    await using call = await wait("--config-json", '{"limits":{"approvalTimeoutMs":400}}');
    expectRun(await call.done, { code: 5, stderr: /nobody answered within 400 ms/ });
  }
  {
    await using call = await wait();
    await waiting(home);
    call.kill("SIGINT");
    expect((await call.done).code).toBe(130);
  }
  {
    await using call = await wait();
    await waiting(home);
    call.kill("SIGKILL");
    await call.done;
  }
  const states = (await approvalsIn(home, "--all")).map(({ state }) => state);
  expect(states.toSorted()).toEqual(["cancelled", "cancelled", "expired", "rejected"]);
  expect(await runs(home)).toEqual([]);
});

test("always: for the tool, with these arguments, of the server, in time; a changed tool is asked about anew", async () => {
  await using home = await tempDir();
  const call = (by: string, ...words: string[]) =>
    program(home, "call", "count", `by=${by}`, ...words, ...env(home), ...asking);
  const allow = async (by: string, ...words: string[]) => {
    await using running = await call(by, "--wait-approval").start();
    const id = await waiting(home);
    expectRun(await program(home, "approvals", "approve", id, ...words).run(), {
      stdout: /^approved/,
    });
    expect((await running.done).code).toBe(0);
  };
  const policy = (...words: string[]) =>
    program(home, "tools", "count", "--policy", ...words, ...env(home), ...asking).run();
  expectRun(await policy(), { stdout: 'ask    count  by --ask-tool "count"\n' });
  await allow("1", "--always", "arguments");
  expectRun(await policy(), {
    stdout: /^ask +count +by --ask-tool "count" +or allow with \{"by":1\}, by grant \w{8}\n$/,
  });
  expectRun(await call("1").run(), { stdout: "1\n" });
  expectRun(await call("2").run(), { code: 5, stderr: /needs approval/ });
  await allow("2", "--always", "tool", "--for", "1h");
  expectRun(await policy(), { stdout: /^allow +count +by grant \w{8}\n$/ });
  expectRun(await policy("--env", "OTHER=1"), { stdout: 'ask    count  by --ask-tool "count"\n' });
  expectRun(await call("3").run(), { stdout: "3\n" });
  // A display name or a time-out makes no other server; a command line, an environment and a definition do.
  expectRun(await call("3", "--timeout", "50").run(), { stdout: "3\n" });
  expectRun(await call("3", "--env", "OTHER=1").run(), { code: 5, stderr: /needs approval/ });
  const changed = ["--env", "DESCRIBED=anew"];
  expect((await call("3", ...changed).run()).code).toBe(5);
  const list = await program(home, "grants").run();
  expectRun(list, {
    stdout: /server\.count  with \{"by":1\}  since .*\n|server\.count  since .*  until /,
  });
  expect(list.stdout.trim().split("\n")).toHaveLength(2);
  const [id] = list.stdout.split(" ");
  expectRun(await program(home, "grants", "revoke", id!).run(), { stdout: `revoked ${id}\n` });
  expectRun(await program(home, "grants", "revoke", id!).run(), {
    code: 2,
    stderr: /no id begins/,
  });
  expectRun(await program(home, "grants", "revoke", "--all").run(), { stdout: /^revoked .*\n$/ });
  expectRun(await call("1").run(), { code: 5, stderr: /needs approval/ });
});

test("a tool that was changed since it was always allowed is asked about, with the difference", async () => {
  await using home = await tempDir();
  await writeFile(home.file("words"), "Counts");
  const call = (...words: string[]) =>
    program(
      home,
      "call",
      "count",
      "by=1",
      ...words,
      "--env",
      `WORDS=${home.file("words")}`,
      ...env(home),
      ...asking,
    );
  {
    await using first = await call("--wait-approval").start();
    const id = await waiting(home);
    await program(home, "approvals", "approve", id, "--always", "tool").run();
    expect((await first.done).code).toBe(0);
  }
  expectRun(await call().run(), { stdout: "1\n" });
  await writeFile(home.file("words"), "Deletes everything");
  await using second = await call("--wait-approval").start();
  const id = await waiting(home);
  expectRun(await program(home, "approvals", "show", id).run(), {
    stdout: /is another tool since then: description was "Counts" and is "Deletes everything"/,
  });
  expectRun(await program(home, "approvals", "reject", id).run(), { stdout: /^rejected/ });
  expect((await second.done).code).toBe(5);
});

test("at a terminal: always, and from then on nobody is asked", async () => {
  await using home = await tempDir();
  const call = () => program(home, "call", "count", "by=1", ...env(home), ...asking);
  await using screen = await call().terminal();
  await screen.shows(/Always allow this tool/);
  // The last choice stands above the first.
  screen.type("\x1b[A");
  // oxlint-disable-next-line no-control-regex -- the color tells which is chosen
  await screen.shows(/\[32m●\x1b\[39m Always allow this tool/);
  screen.type("\r");
  expect(await screen.exited).toBe(0);
  expectRun(await call().run(), { stdout: "1\n" });
  expectRun(await program(home, "grants").run(), {
    stdout: /server\.count  since .* by terminal\n/,
  });
  expect(await approvalsIn(home, "--all")).toMatchObject([
    { state: "completed", decidedBy: "terminal" },
  ]);
});

test("a question at a terminal ends when it is answered elsewhere", async () => {
  await using home = await tempDir();
  const call = program(home, "call", "count", "by=1", ...env(home), ...asking);
  await using screen = await call.terminal();
  await screen.shows(/Allow once/);
  const id = await waiting(home);
  expectRun(await program(home, "approvals", "approve", id).run(), { stdout: /^approved/ });
  await screen.shows(/approved elsewhere \(by mcphost approvals\)\r\n1\r\n/);
  expect(await screen.exited).toBe(0);
  expect(await runs(home)).toEqual(["1"]);
});

// --- over HTTP ---

const askAlways = (home: TempDir) => ["--ask-tool", "count", ...env(home), ...server];

async function serving(flags: (home: TempDir) => string[], home: TempDir): Promise<Program> {
  return await serveProgram(flags(home), {
    HOME: home.path,
    XDG_STATE_HOME: home.file("state"),
    XDG_CONFIG_HOME: home.file("config"),
  });
}

function post(url: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

const keyOf = async ({ keyFile }: Program) => ({
  authorization: `Bearer ${(await readFile(keyFile, "utf8")).trim()}`,
});

test("POST /tools waits, others see that it does, and who decides needs the key", async () => {
  await using home = await tempDir();
  await mkdir(home.file("config"));
  await using serve = await serving(askAlways, home);
  const { url } = serve;
  const key = await keyOf(serve);
  const answer = post(url, "/tools", { tool: "count", params: { by: 2 } });
  const id = await waiting(home);
  const calls = async () =>
    (await (await fetch(`${url}/calls`)).json()) as { id: string; status: string }[];
  expect(await calls()).toMatchObject([{ id, status: "waiting" }]);
  // A hosted server that reaches the port: refused, and written down.
  for (const path of [`/calls/${id}/approve`, `/calls/${id}/reject`, `/calls/${id}/acknowledge`])
    expect((await post(url, path, {})).status).toBe(401);
  expect((await fetch(`${url}/grants`)).status).toBe(401);
  expect((await post(url, `/calls/${id}/approve`, {}, { authorization: "Bearer x" })).status).toBe(
    401,
  );
  const decide = (verb: string, body: unknown) => post(url, `/calls/${id}/${verb}`, body, key);
  expect((await decide("approve", { arguments: { by: "x" } })).status).toBe(400);
  expect((await decide("approve", { arguments: [] })).status).toBe(400);
  expect((await decide("approve", { always: "never" })).status).toBe(400);
  expect((await decide("approve", { forMs: 5 })).status).toBe(400);
  expect((await post(url, `/calls/none/approve`, {}, key)).status).toBe(404);
  const approved = await decide("approve", { arguments: { by: 3 }, always: "tool" });
  expect(approved.status).toBe(200);
  expect(await approved.json()).toMatchObject({ id, status: "approved", arguments: { by: 3 } });
  expect(await (await answer).json()).toMatchObject({ plain_text_response: "3" });
  expect((await decide("approve", {})).status).toBe(200);
  expect((await decide("reject", {})).status).toBe(409);
  expect(await runs(home)).toEqual(["3"]);
  expect(await calls()).toMatchObject([{ id, status: "completed" }]);
  // What is always allowed is asked about no more, until that is revoked.
  expect(
    await (await post(url, "/tools", { tool: "count", params: { by: 4 } })).json(),
  ).toMatchObject({
    plain_text_response: "4",
  });
  const grants = (await (await fetch(`${url}/grants`, { headers: key })).json()) as {
    id: string;
  }[];
  expect(grants).toMatchObject([{ server: "server", tool: "count", tools: ["count"] }]);
  const revoke = () => fetch(`${url}/grants/${grants[0]!.id}`, { method: "DELETE", headers: key });
  expect((await revoke()).status).toBe(200);
  expect((await revoke()).status).toBe(404);
  const log = await program(home, "log", "--json", "--event", "refused").run();
  const refused = log.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { call: string });
  expect(refused.filter(({ call }) => call === id)).toHaveLength(4);
});

test("whoever tries without a token, and without end, does not push all else out of the log", async () => {
  await using home = await tempDir();
  await using serve = await serving(askAlways, home);
  for (let tries = 0; tries < 100; tries += 1)
    expect((await post(serve.url, "/calls/none/approve", {})).status).toBe(401);
  let refused = 0;
  await waitFor(
    async () => {
      const log = await program(home, "log", "-n", "all", "--event", "refused").run();
      refused = log.stdout.split("\n").length - 1;
      return refused > 0;
    },
    () => "nothing is written down",
  );
  expect(refused).toBeLessThanOrEqual(60);
});

test("Prefer: respond-async answers 202, and the call goes on without its client", async () => {
  await using home = await tempDir();
  await using serve = await serving(askAlways, home);
  const { url } = serve;
  const key = await keyOf(serve);
  const answer = await post(
    url,
    "/tools",
    { tool: "count", params: { by: 2 } },
    { prefer: "respond-async" },
  );
  expect(answer.status).toBe(202);
  const place = answer.headers.get("location")!;
  const { call: id } = (await answer.json()) as { call: string };
  expect(place).toBe(`/calls/${id}`);
  const look = async () =>
    (await (await fetch(url + place, { headers: key })).json()) as {
      status: string;
      result?: object;
    };
  expect(await look()).toMatchObject({ status: "waiting", arguments: { by: 2 } });
  expect((await post(url, `${place}/approve`, {}, key)).status).toBe(200);
  let last: object = {};
  await waitFor(
    async () => ((last = await look()) as { status: string }).status === "completed",
    () => JSON.stringify(last),
  );
  expect((await look()).result).toMatchObject({ content: [{ type: "text", text: "2" }] });
  // One that nobody asks about is answered as ever.
  const plain = await post(
    url,
    "/tools",
    { tool: "plain", params: {} },
    { prefer: "respond-async" },
  );
  expect(plain.status).toBe(200);
});

test("a client that leaves takes its question along", async () => {
  await using home = await tempDir();
  await using serve = await serving(askAlways, home);
  const scope = new AbortController();
  const answer = fetch(`${serve.url}/tools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tool: "count", params: { by: 2 } }),
    signal: scope.signal,
  }).catch(() => "left");
  const id = await waiting(home);
  scope.abort();
  expect(await answer).toBe("left");
  await waitFor(
    async () => (await approvalsIn(home, "--all"))[0]?.state === "cancelled",
    () => "it still waits",
  );
  const late = await program(home, "approvals", "approve", id).run();
  expectRun(late, { code: 5, stderr: /is cancelled/ });
  expect(await runs(home)).toEqual([]);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "what waits survives serve that ends by %s, and runs once",
  async (signal) => {
    await using home = await tempDir();
    let id: string;
    {
      await using serve = await serving(askAlways, home);
      const answer = post(serve.url, "/tools", { tool: "count", params: { by: 7 } }).catch(
        () => undefined,
      );
      id = await waiting(home);
      serve.kill(signal);
      await serve.exited;
      await answer;
    }
    expect(await approvalsIn(home)).toMatchObject([{ id, state: "pending" }]);
    await using again = await serving(askAlways, home);
    const key = await keyOf(again);
    await waitFor(
      async () => (await fetch(`${again.url}/calls/${id}`, { headers: key })).status === 200,
      () => "it is not taken over",
    );
    expect((await post(again.url, `/calls/${id}/approve`, {}, key)).status).toBe(200);
    await waitFor(
      async () => (await runs(home)).length > 0,
      () => "it does not run",
    );
    await waitFor(
      async () => (await approvalsIn(home, "--all"))[0]?.state === "completed",
      () => "it is not completed",
    );
    expect(await runs(home)).toEqual(["7"]);
  },
);

/** Without the rule that asks. */
const plain = (home: TempDir) => stepServer(home).slice(0, 2);

/** Leaves a call that waits, and whose serve has ended. */
async function leftWaiting(home: TempDir): Promise<string> {
  await using serve = await serving((at) => stepServer(at), home);
  const answer = post(serve.url, "/tools", { tool: "count", params: { by: 1 } }).catch(() => {});
  const id = await waiting(home);
  serve.kill("SIGTERM");
  await serve.exited;
  await answer;
  return id;
}

test("what waits and is always allowed by now runs once, however often serve is started", async () => {
  await using home = await tempDir();
  const id = await leftWaiting(home);
  const call = mcphost("call", "count", "by=2", "--wait-approval", ...stepServer(home))
    .home(home.path)
    .run();
  let rows: Row[] = [];
  await waitFor(
    async () => (rows = (await approvalsIn(home)).filter((row) => row.id !== id)).length === 1,
    () => JSON.stringify(rows),
  );
  await program(home, "approvals", "approve", rows[0]!.id, "--always", "tool").run();
  expectRun(await call, { code: 0, stdout: "2\n", stderr: /waits for approval/ });
  for (const _ of [1, 2]) {
    await using serve = await serving((at) => stepServer(at), home);
    await waitFor(
      async () => (await approvalsIn(home)).length === 0 && (await runs(home)).length === 2,
      () => "it does not run",
    );
    serve.kill("SIGTERM");
    await serve.exited;
  }
  expect(await runs(home)).toEqual(["2", "1"]);
});

test("what waits is still asked about where no rule asks any more, and is over where one forbids it", async () => {
  await using home = await tempDir();
  const id = await leftWaiting(home);
  {
    await using serve = await serving(plain, home);
    const key = await keyOf(serve);
    await waitFor(
      async () => (await fetch(`${serve.url}/calls/${id}`, { headers: key })).status === 200,
      () => "it is not taken over",
    );
    expect(await approvalsIn(home)).toMatchObject([{ id, state: "pending" }]);
    expect((await post(serve.url, `/calls/${id}/approve`, {}, key)).status).toBe(200);
    await waitFor(
      async () => (await approvalsIn(home, "--all"))[0]?.state === "completed",
      () => "it does not run",
    );
    expect(await runs(home)).toEqual(["1"]);
  }
  const other = await leftWaiting(home);
  await using _serve = await serving((at) => [...plain(at), "--deny-tool", "count"], home);
  const stateOf = async () =>
    (await approvalsIn(home, "--all")).find((row) => row.id === other)?.state;
  await waitFor(
    async () => (await stateOf()) === "cancelled",
    () => "it still waits",
  );
  expect(await runs(home)).toEqual(["1"]);
});

test.each([
  [
    ["approvals", "aprove", "x"],
    'approvals knows no "aprove"\n  did you mean approve? it knows list, ',
  ],
  [["grants", "revok", "x"], 'grants knows no "revok"\n'],
  [["grants", "list", "x"], 'grants knows no "x"\n'],
])("a word that nobody knows is named: %j", async (words, said) => {
  await using home = await tempDir();
  const { code, stderr } = await program(home, ...words).run();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`mcphost: ${said}`)]);
});

// --- kill -9 at each step ---

const stepServer = (home: TempDir, more: object = {}) => {
  const [command, ...rest] = bunAlone;
  const args = [...rest, join(root, "test/fixtures/records/counter.ts")];
  const entry = {
    command,
    args,
    env: { RUNS: home.file("runs") },
    ...more,
  };
  return ["--config-json", JSON.stringify({ mcpServers: { one: entry } }), "--ask-tool", "count"];
};

test("one that nobody was asked about is uncertain, too: what to do with it is said", async () => {
  await using home = await tempDir();
  {
    await using serve = await serving((at) => plain(at), home);
    const answer = post(serve.url, "/tools", { tool: "count", params: { by: -1 } }).catch(
      () => undefined,
    );
    await waitFor(
      async () => (await runs(home)).length === 1,
      () => "it does not run",
    );
    serve.kill("SIGKILL");
    await answer;
  }
  const [line = ""] = (await program(home, "approvals").run()).stdout.split("\n");
  const [, short = ""] = /^uncertain (\w{8}) /.exec(line) ?? [];
  for (const verb of ["show", "approve", "reject"])
    expectRun(await program(home, "approvals", verb, short).run(), {
      code: 2,
      stderr: new RegExp(`can only be acknowledged\\n.*mcphost approvals acknowledge ${short} `),
    });
  expectRun(await program(home, "approvals", "acknowledge", short).run(), {
    stdout: /^acknowledged /,
  });
  expect(await approvalsIn(home)).toEqual([]);
});

test("killed after it was sent: uncertain, told, never repeated, acknowledged once", async () => {
  await using home = await tempDir();
  {
    await using serve = await serving((at) => stepServer(at), home);
    const answer = post(serve.url, "/tools", { tool: "count", params: { by: -1 } }).catch(
      () => undefined,
    );
    const id = await waiting(home);
    await program(home, "approvals", "approve", id).run();
    // It has run, and never answers.
    await waitFor(
      async () => (await runs(home)).length === 1,
      () => "it does not run",
    );
    serve.kill("SIGKILL");
    await answer;
  }
  await using again = await serving((at) => stepServer(at), home);
  const rows = await approvalsIn(home, "--all");
  expect(rows).toMatchObject([{ state: "uncertain", tool: "count" }]);
  const { id } = rows[0]!;
  expectRun(await program(home, "approvals").run(), { stdout: /^uncertain / });
  expectRun(await program(home, "approvals", "approve", id).run(), {
    code: 5,
    stderr: /is uncertain: .*\n {2}.*; find out whether it was done before you call it again\n$/,
  });
  const key = await keyOf(again);
  const acknowledged = await post(again.url, `/calls/${id}/acknowledge`, { reason: "seen" }, key);
  expect(acknowledged.status).toBe(200);
  expectRun(await program(home, "approvals", "acknowledge", id).run(), {
    code: 2,
    stderr: /count of server "one" is failed \(acknowledged: seen\): only a call that is uncertain/,
  });
  expectRun(await program(home, "approvals", "acknowledge", "nosuch").run(), {
    code: 2,
    stderr: /no id begins with "nosuch"/,
  });
  expect(await approvalsIn(home, "--all")).toMatchObject([
    { state: "failed", reason: "acknowledged: seen" },
  ]);
  expect(await runs(home)).toEqual(["-1"]);
});

test("killed before it was sent: told as not sent, and not run by anybody", async () => {
  await using home = await tempDir();
  {
    await using serve = await serving((at) => stepServer(at, { concurrency: 1 }), home);
    const call = (tool: string) =>
      post(serve.url, "/tools", { tool, params: { by: 1 } }).catch(() => undefined);
    const answer = call("count");
    const id = await waiting(home);
    // Its server is busy from now on: the call waits for its turn.
    const silent = call("silent");
    const sent = () => program(home, "log", "--event", "sent", "--tool", "silent").run();
    await waitFor(
      async () => (await sent()).stdout !== "",
      () => "it is not busy",
    );
    await program(home, "approvals", "approve", id).run();
    await waitFor(
      async () => (await approvalsIn(home))[0]?.state === "running",
      () => "it is not taken",
    );
    serve.kill("SIGKILL");
    await Promise.all([answer, silent]);
  }
  await using _again = await serving((at) => stepServer(at), home);
  const rows = (await approvalsIn(home, "--all")).filter(({ tool }) => tool === "count");
  expect(rows).toMatchObject([
    { state: "failed", reason: expect.stringContaining("before it was sent: it did not happen") },
  ]);
  // The other was sent, and nobody asked about it: that is uncertain.
  expectRun(await program(home, "approvals").run(), { stdout: /^uncertain .*one\.silent\n$/ });
  expect(await runs(home)).toEqual([]);
});

test("killed with an approval that nobody took up: the next serve runs it, once", async () => {
  await using home = await tempDir();
  let id: string;
  {
    await using serve = await serving((at) => stepServer(at), home);
    const answer = post(serve.url, "/tools", { tool: "count", params: { by: 3 } }).catch(
      () => undefined,
    );
    id = await waiting(home);
    serve.kill("SIGSTOP");
    await program(home, "approvals", "approve", id).run();
    serve.kill("SIGKILL");
    await answer;
  }
  expect(await approvalsIn(home)).toMatchObject([{ id, state: "approved" }]);
  await using _again = await serving((at) => stepServer(at), home);
  await waitFor(
    async () => (await approvalsIn(home, "--all"))[0]?.state === "completed",
    () => "it is not run",
  );
  expect(await runs(home)).toEqual(["3"]);
});

test("a host that calls through our gateway shows what it waits for", async () => {
  await using home = await tempDir();
  const [command, ...words] = sourceProgram;
  const args = [...words, "gateway", ...askAlways(home)];
  const xdg = { XDG_STATE_HOME: home.file("state"), XDG_CONFIG_HOME: home.file("config") };
  const config = { mcpServers: { gate: { command, args, env: xdg } } };
  await writeFile(home.file("gateway.json"), JSON.stringify(config));
  const line = ["call", "count", "by=6", "--events", "-c", home.file("gateway.json")];
  await using call = await program(home, ...line).start();
  const id = await waiting(home);
  expectRun(await program(home, "approvals", "approve", id).run(), { stdout: /^approved/ });
  const short = id.slice(0, 8);
  expectRun(await call.done, {
    stdout: "6\n",
    stderr: new RegExp(
      `"level":"warn","text":"mcphost: count waits for approval[^]*"event":"progress".*"waits for approval: mcphost approvals approve ${short}"`,
    ),
  });
});

test("a client of the gateway waits, too, and a call that it gives up waits no longer", async () => {
  await using home = await tempDir();
  const proc = Bun.spawn([...sourceProgram, "gateway", ...askAlways(home)], {
    env: {
      PATH: process.env["PATH"],
      HOME: home.path,
      XDG_STATE_HOME: home.file("state"),
      XDG_CONFIG_HOME: home.file("config"),
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const send = (message: object) =>
    proc.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const count = (id: number) =>
    send({ id, method: "tools/call", params: { name: "count", arguments: { by: id } } });
  send({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  });
  send({ method: "notifications/initialized" });
  count(2);
  const first = await waiting(home);
  await program(home, "approvals", "approve", first).run();
  await waitFor(
    async () => (await runs(home)).length === 1,
    () => "it does not run",
  );
  count(3);
  const second = await waiting(home);
  send({ method: "notifications/cancelled", params: { requestId: 3 } });
  await waitFor(
    async () => (await approvalsIn(home, "--all"))[0]?.state === "cancelled",
    () => "it still waits",
  );
  expect((await approvalsIn(home, "--all")).map(({ id }) => id)).toEqual([second, first]);
  await proc.stdin.end();
  const lines = (await proc.stdout.text()).trim().split("\n");
  expect(await proc.exited).toBe(0);
  const answers = lines.map((line) => JSON.parse(line) as { id?: number; result?: object });
  expect(answers.find(({ id }) => id === 2)?.result).toMatchObject({
    content: [{ type: "text", text: "2" }],
  });
  expect(answers.some(({ id }) => id === 3)).toBe(false);
  expect(await runs(home)).toEqual(["2"]);
});

test("without an audit log nothing is written down, and what is asked about is decided all the same", async () => {
  await using home = await tempDir();
  await mkdir(home.file("config"));
  const quiet = () => ["--config-json", '{"audit":false}', ...askAlways(home)];
  await using serve = await serving(quiet, home);
  const { url } = serve;
  expect((await post(url, "/tools", { tool: "plain", params: {} })).status).toBe(200);
  const answer = post(url, "/tools", { tool: "count", params: { by: 2 } });
  const id = await waiting(home);
  const approved = await post(url, `/calls/${id}/approve`, {}, await keyOf(serve));
  expect(approved.status).toBe(200);
  expect((await answer).status).toBe(200);
  expect(await runs(home)).toEqual(["2"]);
  expect((await approvalsIn(home, "--all")).map(({ state }) => state)).toEqual(["completed"]);
  expectRun(await program(home, "log", "--json").run(), { stdout: "" });
});
