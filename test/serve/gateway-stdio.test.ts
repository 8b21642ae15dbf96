/** `mcphost gateway` as a program: lines in, lines out, both eras, and an end with 0 (cli.md, Commands). */
import { describe, expect, test } from "bun:test";

import { expectRun, mcphost, sourceProgram, tempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";
import { answerTo, enveloped, full, textOf } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

const { command = "", args = [] } = full();
const server = ["--", command, ...args];
const info = { name: "test", version: "1" };
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info },
});
const call = (id: number | string, name: string, given: object = {}, more: object = {}) =>
  line({ id, method: "tools/call", params: { name, arguments: given, ...more } });

const probe = (id: string) => line({ id, method: "server/discover", params: enveloped() });

/** Runs it over all that is said at once, and reads what it answers. */
async function talk(...said: string[]): Promise<Told[]> {
  const run = await mcphost("gateway", ...server)
    .stdin(said.join(""))
    .run();
  expectRun(run, { stdout: /./ });
  return run.stdout
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one) as Told);
}

describe("what is said at once, and then stdin ends", () => {
  test("is answered, with bad JSON, CRLF, blank lines, a BOM and a last line without an end", async () => {
    const all = await talk(
      `\uFEFF${initialize.replace("\n", "\r\n")}`,
      "\r\n\n",
      "this is not JSON\r\n",
      line({ method: "notifications/initialized" }),
      call(2, "echo", { text: "zwei" }),
      line({ id: 3, method: "ping" }).trimEnd(),
    );
    expect(answerTo(all, 1)?.result.protocolVersion).toBe("2025-06-18");
    expect(textOf(answerTo(all, 2))).toBe("zwei");
    expect(answerTo(all, 3)?.result).toEqual({});
    expect(all.find(({ id }) => id === null)?.error?.code).toBe(-32700);
    expect(all).toHaveLength(4);
  });

  test("a probe decides nothing: it is answered again and again, and initialize still works", async () => {
    const all = await talk(
      probe("a"),
      probe("b"),
      initialize,
      call(2, "echo", { text: "old" }),
      probe("c"),
    );
    for (const id of ["a", "b", "c"])
      expect(answerTo(all, id)?.result.supportedVersions).toContain("2026-07-28");
    expect(textOf(answerTo(all, 2))).toBe("old");
  });

  test("modern requests need no greeting, and legacy ones do", async () => {
    const all = await talk(
      call(1, "echo", { text: "new" }, enveloped()),
      call(2, "echo", { text: "old" }),
      line({ id: 3, method: "ping" }),
      line({ id: 4, method: "ping", params: enveloped() }),
      line({
        id: 5,
        method: "tools/list",
        params: enveloped({}, { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
      }),
      line({ id: 6, method: "initialize", params: enveloped() }),
    );
    expect(textOf(answerTo(all, 1))).toBe("new");
    expect(answerTo(all, 1)?.result.resultType).toBe("complete");
    expect(answerTo(all, 2)?.error?.code).toBe(-32600);
    expect(answerTo(all, 3)?.result).toEqual({});
    expect(answerTo(all, 4)?.error?.code).toBe(-32601);
    expect(answerTo(all, 5)?.error?.code).toBe(-32022);
    expect(answerTo(all, 6)?.error?.code).toBe(-32601);
  });

  test("nothing at all is an end with 0", async () => {
    expectRun(await mcphost("gateway", ...server).run(), {});
  });

  test("a positional is a mistake", async () => {
    expectRun(await mcphost("gateway", "x", ...server).run(), { code: 2, stderr: /takes no "x"/ });
  });

  test("B020 a server that ends before it is greeted is an error at once, and the others are served", async () => {
    const config = JSON.stringify({
      mcpServers: {
        good: { command, args },
        bad: {
          command: process.execPath,
          args: ["-e", "console.error('key is missing');process.exit(3)"],
        },
      },
    });
    const run = await mcphost("gateway", "--config-json", config)
      .stdin(
        initialize +
          call(2, "bad_any") +
          call(3, "good_echo", { text: "fine" }) +
          line({ id: 4, method: "tools/list" }),
      )
      .run();
    const all = run.stdout
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one) as Told);
    expect(run.code).toBe(0);
    expect(answerTo(all, 2)?.error).toMatchObject({
      code: -32603,
      data: { code: "server_start", server: "bad" },
    });
    expect(textOf(answerTo(all, 3))).toBe("fine");
    const names = answerTo(all, 4)?.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("good_echo");
    expect(run.ms).toBeLessThan(5000);
  });
});

/** A gateway that is talked to. */
async function open() {
  const home = await tempDir();
  const env = { PATH: process.env["PATH"], HOME: home.path, XDG_CACHE_HOME: home.path };
  const child = Bun.spawn({
    cmd: [...sourceProgram, "gateway", ...server],
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const all: Told[] = [];
  const read = async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const one of lines) all.push(JSON.parse(one) as Told);
    }
  };
  const reading = read();
  return {
    child,
    all,
    home,
    say: (text: string) => {
      child.stdin.write(text);
      child.stdin.flush();
    },
    answered: async (id: number | string) => {
      await waitFor(() => answerTo(all, id) !== undefined);
      return answerTo(all, id);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await reading;
      await home[Symbol.asyncDispose]();
    },
  };
}

describe("a conversation", () => {
  test("a ping in a call is answered at once, and a cancelled call never", async () => {
    await using gateway = await open();
    gateway.say(initialize + call("slow", "hang"));
    await gateway.answered(1);
    gateway.say(line({ id: 2, method: "ping" }));
    expect((await gateway.answered(2))?.result).toEqual({});
    gateway.say(line({ method: "notifications/cancelled", params: { requestId: "slow" } }));
    await waitFor(async () => {
      const id = crypto.randomUUID();
      gateway.say(call(id, "cancelled"));
      return textOf(await gateway.answered(id)) === "1";
    });
    expect(answerTo(gateway.all, "slow")).toBeUndefined();
  });

  test("progress, logs and changes come as they are, a line each", async () => {
    await using gateway = await open();
    gateway.say(initialize);
    await gateway.answered(1);
    gateway.say(call(2, "slow", { steps: 2, ms: 1 }, { _meta: { progressToken: "mine" } }));
    await gateway.answered(2);
    const steps = gateway.all.filter(({ method }) => method === "notifications/progress");
    expect(steps.map(({ params }) => [params.progressToken, params.progress])).toEqual([
      ["mine", 1],
      ["mine", 2],
    ]);
    gateway.say(call(3, "log", { level: "error" }));
    await waitFor(() => gateway.all.some(({ method }) => method === "notifications/message"));
    gateway.say(line({ id: 4, method: "tools/list" }));
    await gateway.answered(4);
    gateway.say(call(5, "change", { list: "tools" }));
    await waitFor(() =>
      gateway.all.some(({ method }) => method === "notifications/tools/list_changed"),
    );
  });

  test("the requests of a modern client are one client's: what it left or runs beside keeps no log from it", async () => {
    await using gateway = await open();
    const logging = { "io.modelcontextprotocol/logLevel": "info" };
    const logs = (id: string) =>
      gateway.say(call(id, "log", { level: "error" }, enveloped({}, logging)));
    const heard = () =>
      gateway.all.filter(({ method }) => method === "notifications/message").length;
    gateway.say(
      call("left", "hang", {}, enveloped()) + call("here", "echo", { text: "up" }, enveloped()),
    );
    await gateway.answered("here");
    logs("beside");
    await gateway.answered("beside");
    expect(heard()).toBe(1);
    gateway.say(line({ method: "notifications/cancelled", params: { requestId: "left" } }));
    logs("after");
    await gateway.answered("after");
    expect(heard()).toBe(2);
    gateway.say(call("quiet", "log", { level: "error" }, enveloped()));
    await gateway.answered("quiet");
    expect(heard()).toBe(2);
  });

  test("a subscription ends in order with stdin, a call that hangs does not hold it up, nothing is left", async () => {
    await using gateway = await open();
    const notifications = { toolsListChanged: true };
    gateway.say(
      line({ id: 1, method: "subscriptions/listen", params: enveloped({ notifications }) }),
    );
    await waitFor(() => gateway.all.length > 0);
    gateway.say(call(2, "hang", {}, enveloped()));
    await Bun.sleep(100);
    await gateway.child.stdin.end();
    expect(await gateway.child.exited).toBe(0);
    expect(answerTo(gateway.all, 1)?.result).toMatchObject({ resultType: "complete" });
    await waitFor(async () => (await liveProcesses(gateway.home.path)).length === 0);
  });

  test("SIGTERM ends it, and its server", async () => {
    await using gateway = await open();
    gateway.say(initialize);
    await gateway.answered(1);
    gateway.child.kill("SIGTERM");
    expect(await gateway.child.exited).toBe(143);
    await waitFor(async () => (await liveProcesses(gateway.home.path)).length === 0);
  });
});
