/** Calls that are asked about behind the gateway: its clients wait, and see what for. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import { expectRun, sourceProgram, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { approvalsIn, askAlways, program, runs, waiting } from "./approvals-kit.ts";

setDefaultTimeout(60_000);

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
