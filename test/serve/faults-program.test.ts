/** `mcphost serve` as a program under load: many idle clients, and its end. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";

import { bunAlone, root } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { answerTo, enveloped, full, modernInit, textOf, told } from "./gateway-kit.ts";
import type { AskOptions } from "./kit.ts";
import { serveProgram } from "./program-kit.ts";

const { command = "", args: fixture = [] } = full();

const one = ["-s", `a=${[command, ...fixture.slice(0, 2)].join(" ")}`];

const two = [
  ...one,
  "-s",
  `late=${[...bunAlone, `${root}/test/fixtures/servers/echo.ts`].join(" ")}`,
];

/** How many files a process here may have open. */
const filesMax = Number(Bun.spawnSync(["sh", "-c", "ulimit -Hn"]).stdout.toString()) || Infinity;

/** Asks as `Kit.ask` does. */
function ask(url: string, path: string, { json, headers, ...init }: AskOptions): Promise<Response> {
  return fetch(url + path, {
    ...init,
    method: "POST",
    body: JSON.stringify(json),
    headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
  });
}

const callOf = (name: string, given: object = {}): AskOptions =>
  modernInit("tools/call", { name, arguments: given } as { name: string });

const callTool = async (url: string, name: string, given: object = {}) =>
  textOf(answerTo(await told(await ask(url, "/mcp", callOf(name, given)))));

/** Opens an event stream and leaves it, and counts those that were closed. Of `/events` fewer may be open at a time. */
async function idleStream(port: number, at: number, seen: { opened: number; closed: number }) {
  const path = at % 10 === 0 ? "/events" : at % 2 === 0 ? "/sse" : "/sse/late";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (it, bytes) => {
        if (it.data.opened) return;
        it.data.opened = true;
        if (bytes.toString().startsWith("HTTP/1.1 200")) seen.opened++;
      },
      close: () => void seen.closed++,
    },
    data: { opened: false },
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  return socket;
}

const rssOf = async (pid: number) => {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};

describe.skipIf(process.platform !== "linux" || filesMax < 2500)("many clients", () => {
  test("1,000 idle streams and 200 at work: none is dropped, memory is bounded, and a server can still start", async () => {
    await using serve = await serveProgram(two);
    const { url, port, pid } = serve;
    expect(await callTool(url, "a_echo", { text: "warm" })).toBe("warm");
    await waitFor(async () => (await liveProcesses(serve.home.path)).length > 0);
    const before = await rssOf(pid);
    const seen = { opened: 0, closed: 0 };
    const sockets = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => idleStream(port, at, seen)),
    );
    await waitFor(
      () => seen.opened === 1000,
      () => JSON.stringify(seen),
    );
    const working = Array.from({ length: 200 }, async (_, at) => {
      const text = `worker ${at}`;
      const done: string[] = [];
      for (let round = 0; round < 5; round++) done.push(await callTool(url, "a_echo", { text }));
      done.push(await callTool(url, "a_slow", { steps: 10, ms: 100 }));
      return done.every((answer) => answer === text || answer === "done after 10 steps");
    });
    await waitFor(async () => (await readdir(`/proc/${pid}/fd`)).length > 1150);
    expect(await callTool(url, "late_echo", { message: "late" })).toBe("late");
    expect(await Promise.all(working)).toEqual(Array(200).fill(true));
    expect(seen).toEqual({ opened: 1000, closed: 0 });
    expect((await rssOf(pid)) - before).toBeLessThan(150);
    for (const socket of sockets) socket.terminate();
    await waitFor(async () => (await readdir(`/proc/${pid}/fd`)).length < 300);
  }, 60_000);
});

describe("the end under load", () => {
  test.each([
    ["SIGTERM", 143],
    ["SIGKILL", 137],
  ] as const)(
    "%s: each call is done, told or cut, no process stays",
    async (signal, code) => {
      await using serve = await serveProgram(one);
      const { url, home } = serve;
      expect(await callTool(url, "a_echo", { text: "warm" })).toBe("warm");
      const { outcomes, end } = load(url);
      await waitFor(() => outcomes.length > 100);
      const began = performance.now();
      serve.kill(signal);
      const stopped = outcomes.length;
      expect(await serve.exited).toBe(code);
      expect(performance.now() - began).toBeLessThan(8000);
      await end();
      await nothingLeft(home.path);
      expect(outcomes.slice(0, stopped).filter((outcome) => outcome !== "done")).toEqual([]);
      const odd = outcomes.filter((outcome) => !/^(done|cut|told (-32603|200|503))$/.test(outcome));
      expect(odd).toEqual([]);
      if (signal === "SIGTERM") expect(await serve.stderr).toBe("");
    },
    30_000,
  );
});

// --- internal ---

/** Asks again and again, by each way; gives what came of each call once all have ended. */
function load(url: string) {
  const outcomes: string[] = [];
  const over = new AbortController();
  const again = async (call: () => Promise<string>) => {
    while (!over.signal.aborted) outcomes.push(await call().catch(() => "cut"));
  };
  const slow = { steps: 2, ms: 30 };
  const rest = (body: object) => async () => {
    const answer = await ask(url, "/tools", { json: body });
    const text = await answer.text();
    return /done after 2 steps/.test(text) ? "done" : `told ${answer.status}`;
  };
  const calls = [
    rest({ tool: "a_slow", params: slow }),
    rest({ tool: "a_slow", params: slow, stream: true }),
    rest({ tool: "a_hang", params: {}, stream: true }),
    async () => {
      const answer = answerTo(await told(await ask(url, "/mcp", callOf("a_slow", slow))));
      return answer?.result === undefined ? `told ${answer?.error?.code}` : "done";
    },
    async () => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
      const { promise, resolve } = Promise.withResolvers<string>();
      socket.addEventListener("message", () => resolve("done"));
      socket.addEventListener("close", () => resolve("cut"));
      socket.addEventListener("open", () => {
        const params = enveloped({ name: "a_slow", arguments: slow });
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
      });
      return await promise.finally(() => socket.close());
    },
  ];
  const running = Promise.all(
    calls.flatMap((call) => Array.from({ length: 6 }, () => again(call))),
  );
  return {
    outcomes,
    async end() {
      over.abort();
      await running;
    },
  };
}
