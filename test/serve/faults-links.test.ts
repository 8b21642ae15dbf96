/**
 * Bad input on each link of the gateway that is open in both directions (WebSocket, HTTP+SSE, stdio): every request
 * is answered as JSON-RPC says, and nothing ends the link but its own end.
 */
import { describe, expect, test } from "bun:test";

import { sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { call, openSse, read, request } from "./faults-links-kit.ts";
import { answerTo, full, gatewayOver, textOf, type Told } from "./gateway-kit.ts";

interface Link extends AsyncDisposable {
  all: Told[];
  /** Sends a text as it is, as one message. */
  say(text: string): unknown;
}

const { command = "", args = [] } = full();

const links: Record<string, () => Promise<Link>> = {
  async WebSocket() {
    const kit = gatewayOver({ server: full() });
    const socket = new WebSocket(`${kit.served.url.replace("http", "ws")}/ws`);
    const all: Told[] = [];
    socket.addEventListener("message", ({ data }) => void all.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    return {
      all,
      say: (text) => socket.send(text),
      async [Symbol.asyncDispose]() {
        socket.close();
        await kit[Symbol.asyncDispose]();
      },
    };
  },
  async "HTTP+SSE"() {
    const kit = gatewayOver({ server: full() });
    const { all, post, done } = await openSse(kit);
    const posted: Promise<unknown>[] = [];
    // What is no JSON is told by the POST itself.
    const say = async (text: string) => {
      const answer = await post(text);
      if (answer.status !== 202) all.push((await answer.json()) as Told);
    };
    return {
      all,
      say: (text) => posted.push(say(text)),
      async [Symbol.asyncDispose]() {
        await Promise.all(posted);
        await kit[Symbol.asyncDispose]();
        await done;
      },
    };
  },
  async stdio() {
    const home = await tempDir();
    const child = Bun.spawn({
      cmd: [...sourceProgram, "gateway", "--no-user-config", "--", command, ...args],
      env: { PATH: process.env["PATH"], HOME: home.path },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    const all: Told[] = [];
    const done = read(child.stdout, "\n", (line) => void all.push(JSON.parse(line) as Told));
    return {
      all,
      say(text) {
        child.stdin.write(`${text}\n`);
        return child.stdin.flush();
      },
      async [Symbol.asyncDispose]() {
        await child.stdin.end();
        expect(await child.exited).toBe(0);
        await done;
        await nothingLeft(home.path);
        await home[Symbol.asyncDispose]();
      },
    };
  },
};

const initialize = request("init", "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

describe.each(Object.entries(links))("%s", (_name, open) => {
  test.concurrent.each<[string, string, number]>([
    ["no JSON", "{", -32700],
    ["two values", '{"a":1}{"b":2}', -32700],
    ["a NUL", "\0", -32700],
    ["an empty batch", "[]", -32600],
    ["a long batch", `[${Array(101).fill('{"jsonrpc":"2.0","method":"x"}').join()}]`, -32600],
    ["a batch in a batch", "[[1]]", -32600],
    ["a number", "1", -32600],
    ["null", "null", -32600],
    ["a text", '"x"', -32600],
    ["nothing but a version", '{"jsonrpc":"2.0"}', -32600],
    ["a null id", request(null, "ping"), -32600],
    ["an id that is an object", request({}, "ping"), -32600],
    ["an id that is a list", request([1], "ping"), -32600],
    ["a method that is a number", '{"jsonrpc":"2.0","id":null,"method":1}', -32600],
    ["too deep", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, -32700],
  ])("%s is refused, and the next request is answered", async (_what, text, code) => {
    await using link = await open();
    await link.say(initialize);
    await link.say(text);
    await link.say(request("after", "ping"));
    await waitFor(() => link.all.length >= 3);
    expect(answerTo(link.all, "after")?.result).toEqual({});
    const [refusal] = link.all.filter(({ id }) => id === null);
    expect([refusal?.error?.code, link.all.length]).toEqual([code, 3]);
  });

  test("what answers nothing, and names of prototypes, change nothing", async () => {
    await using link = await open();
    await link.say(initialize);
    await waitFor(() => link.all.length === 1);
    for (const text of [
      '{"jsonrpc":"2.0","id":9,"result":{}}',
      '{"jsonrpc":"2.0","id":"__proto__","error":{"code":1,"message":"x"}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"__proto__"}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
      '{"jsonrpc":"2.0","method":"__proto__"}',
    ])
      await link.say(text);
    const odd = ["__proto__", "constructor", "toString", "", "server/__proto__"];
    for (const [at, name] of odd.entries()) await link.say(call(at, name));
    await link.say(request("method", "__proto__"));
    await link.say(request("uri", "resources/read", { uri: "__proto__" }));
    await link.say(request("cursor", "tools/list", { cursor: "__proto__" }));
    await link.say('{"jsonrpc":"2.0","id":"params","method":"tools/call","params":[]}');
    await waitFor(() => link.all.length === 1 + odd.length + 4);
    const codeOf = (id: string | number) => answerTo(link.all, id)?.error?.code;
    expect(Array.from(odd.keys(), codeOf)).toEqual(odd.map(() => -32602));
    expect([codeOf("method"), codeOf("cursor")]).toEqual([-32601, -32602]);
    expect([-32602, -32002]).toContain(codeOf("uri")!);
    expect([-32602, -32600]).toContain(codeOf("params")!);
  });

  test("an id is in use until its request is answered, with its type", async () => {
    await using link = await open();
    await link.say(initialize);
    await link.say(call(5, "hang"));
    await link.say(request(5, "ping"));
    await link.say(request("5", "ping"));
    await waitFor(() => link.all.length === 3);
    expect(answerTo(link.all, 5)?.error?.code).toBe(-32600);
    expect(answerTo(link.all, "5")?.result).toEqual({});
  });

  test("12 MB there and back", async () => {
    await using link = await open();
    await link.say(initialize);
    await link.say(call(1, "echo", { text: "x".repeat(12_000_000) }));
    await waitFor(() => answerTo(link.all, 1) !== undefined);
    expect(textOf(answerTo(link.all, 1)).length).toBe(12_000_000);
  }, 30_000);
});
