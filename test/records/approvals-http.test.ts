/** Calls that are asked about over HTTP: who may decide, who is told, and a client that leaves. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { expectRun, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import {
  approvalsIn,
  askAlways,
  keyOf,
  post,
  program,
  runs,
  serving,
  waiting,
} from "./approvals-kit.ts";

setDefaultTimeout(60_000);

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
