/** `mcphost gateway` as a program that is talked to: lines in, lines out, and an end with 0. */
import { describe, expect, test } from "bun:test";

import { sourceProgram, tempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";
import { answerTo, enveloped, textOf, type Told } from "./gateway-kit.ts";
import { call, initialize, line, server } from "./gateway-stdio-kit.ts";

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
