/** The transport over one child: what it makes of bytes, of noise, and of the ways in which a child ends. */
import { describe, expect, test } from "bun:test";

import { silent } from "../../lib/base/log.ts";
import type { LogEntry } from "../../lib/base/log.ts";
import type { Child, ExitInfo, Reaper } from "../../lib/process/child.ts";
import { spawnChild } from "../../lib/process/spawn.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { openStdio } from "../../lib/transport/stdio.ts";
import type { Incoming, Transport } from "../../lib/transport/transport.ts";

const reply = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

interface Fake {
  child: Child;
  written: string[];
  exit: (info: ExitInfo) => void;
}

/** A child that writes these chunks and then closes its stdout. */
function fake(chunks: string[], options: { fails?: Error; stderr?: string[] } = {}): Fake {
  const written: string[] = [];
  const exited = Promise.withResolvers<ExitInfo>();
  async function* stdout(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
    if (options.fails) throw options.fails;
  }
  let isLetGo = false;
  const stop = async () => {
    isLetGo = true;
    exited.resolve({ exitCode: 0, signal: null });
    return { rung: "eof" as const, exit: await exited.promise };
  };
  const child: Child = {
    pid: 1,
    get isLetGo() {
      return isLetGo;
    },
    letGo: () => void (isLetGo = true),
    stdout: stdout(),
    write: async (line) => void written.push(line),
    exited: exited.promise,
    stderrTail: () => options.stderr ?? [],
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
  return { child, written, exit: exited.resolve };
}

function open(child: Child, lineBytesMax?: number): { transport: Transport; logs: LogEntry[] } {
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  return {
    logs,
    transport: openStdio(child, { name: "srv", log, ...(lineBytesMax && { lineBytesMax }) }),
  };
}

async function all(transport: Transport): Promise<Incoming[]> {
  return await Array.fromAsync(transport.incoming);
}

test("messages come in, whole lines go out", async () => {
  const { child, written, exit } = fake([
    reply(1).slice(0, 9),
    `${reply(1).slice(9)}\n${reply(2)}`,
  ]);
  const { transport } = open(child);
  await transport.send({ jsonrpc: "2.0", id: 1, method: "a", params: { text: "a\nb\u2028" } });
  expect(written).toEqual([
    '{"jsonrpc":"2.0","id":1,"method":"a","params":{"text":"a\\nb\u2028"}}',
  ]);
  exit({ exitCode: 0, signal: null });
  expect(await all(transport)).toMatchObject([{ text: reply(1) }, { text: reply(2) }]);
});

test("a message whose newline is missing comes all the same, after a while", async () => {
  const written: (() => void)[] = [];
  async function* stdout(): AsyncGenerator<Uint8Array> {
    for (const id of [1, 2, 3]) {
      yield new TextEncoder().encode(reply(id));
      const { promise, resolve } = Promise.withResolvers<void>();
      written.push(resolve);
      await promise;
    }
  }
  const { child, exit } = fake([]);
  const { transport, logs } = open({ ...child, stdout: stdout() });
  const ids: unknown[] = [];
  const begun = performance.now();
  let firstMs = 0;
  for await (const item of transport.incoming) {
    ids.push("message" in item && "id" in item.message && item.message.id);
    firstMs ||= performance.now() - begun;
    written.shift()?.();
  }
  exit({ exitCode: 0, signal: null });
  expect(ids).toEqual([1, 2, 3]);
  expect(firstMs).toBeGreaterThan(90);
  expect(logs.filter(({ text }) => text.includes("newline"))).toHaveLength(1);
});

test("noise is warned of three times with the server's name, then counted; odd messages are a debug entry", async () => {
  const { child, exit } = fake([
    `banner\n${"[x] y\n".repeat(8)}${'{"id":1,"result":{}}'}\nContent-Length: 3\n`,
  ]);
  const { transport, logs } = open(child);
  exit({ exitCode: 0, signal: null });
  expect(await all(transport)).toHaveLength(1);
  const warnings = logs.filter(({ level }) => level === "warn");
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toMatchObject({ server: "srv", text: expect.stringContaining("banner") });
  expect(logs).toContainEqual({
    level: "debug",
    server: "srv",
    text: "a message with no jsonrpc member",
  });
  expect(transport.facts().noise).toEqual({
    count: 10,
    first: ["banner", "[x] y", "[x] y"],
    contentLength: true,
  });
});

test("too long an answer is told with its id", async () => {
  const { child, exit } = fake([
    `{"jsonrpc":"2.0","id":7,"result":"${"x".repeat(10_000)}"}\n${reply(8)}\n`,
  ]);
  const { transport } = open(child, 9000);
  exit({ exitCode: 0, signal: null });
  expect(await all(transport)).toMatchObject([
    { oversize: { id: 7, bytesMax: 9000 } },
    { text: reply(8) },
  ]);
});

describe("how it closed", () => {
  test("by exit code or signal, with the last words", async () => {
    for (const exit of [
      { exitCode: 3, signal: null },
      { exitCode: null, signal: "SIGKILL" },
    ]) {
      const { child, exit: exited } = fake(["x\n"], { stderr: ["last"] });
      const { transport } = open(child);
      exited(exit);
      await all(transport);
      expect(await transport.closed).toEqual({
        kind: "exit",
        ...(exit.exitCode === null ? { signal: "SIGKILL" } : { exitCode: 3 }),
        stderr: ["last"],
        noise: { count: 1, first: ["x"], contentLength: false },
      });
    }
  });

  test("by closing its stdout alone", async () => {
    const { child } = fake([]);
    const { transport } = open(child);
    await all(transport);
    expect(await transport.closed).toMatchObject({ kind: "eof" });
    const late = transport.send({ jsonrpc: "2.0", method: "x" });
    await expect(late).rejects.toMatchObject({ code: "server_exit", facts: { server: "srv" } });
  });

  test("by an error of the pipe", async () => {
    const fails = new Error("EIO");
    const { transport } = open(fake([`${reply(1)}\n`], { fails }).child);
    expect(await all(transport)).toHaveLength(1);
    expect(await transport.closed).toMatchObject({ kind: "error", error: fails });
  });

  test("by closing its stdin alone: what it still says is heard", async () => {
    const script = `
      require("node:fs").closeSync(0);
      console.log('${reply(1)}');
      process.on("SIGTERM", () => (console.log('${reply(2)}'), process.exit(0)));
      setInterval(() => {}, 1000);`;
    const spec = {
      name: "srv",
      command: process.execPath,
      args: ["-e", script],
      env: { PATH: "/usr/bin:/bin" },
    };
    const child = spawnChild(spec, { log: silent, reaper: undefined, stopMs: 50 });
    const transport = openStdio(child, { name: "srv", log: silent });
    const { value: first } = await transport.incoming[Symbol.asyncIterator]().next();
    expect(first).toMatchObject({ text: reply(1) });
    const rest = all(transport);
    const late = transport.send({ jsonrpc: "2.0", method: "x" });
    await expect(late).rejects.toMatchObject({ code: "server_exit" });
    expect(await transport.closed).toMatchObject({ kind: "error", how: "takes no more input" });
    expect(await rest).toMatchObject([{ text: reply(2) }]);
    await child.exited;
  });

  test("by us, who left it to the reaper", async () => {
    let letGo: (() => void) | undefined;
    const reaper: Reaper = {
      expect: () => ({}),
      add: (_pid, onRelease) => void (letGo = onRelease),
      remove() {},
      release: () => letGo?.(),
    };
    const spec = { name: "srv", command: "cat", args: [], env: { PATH: "/usr/bin:/bin" } };
    const transport = openStdio(spawnChild(spec, { log: silent, reaper }), {
      name: "srv",
      log: silent,
    });
    const read = all(transport);
    reaper.release();
    expect(await transport.closed).toMatchObject({ kind: "local" });
    expect(await read).toEqual([]);
  });

  test("by us, whether somebody reads or not", async () => {
    const { transport } = open(fake([]).child);
    await transport[Symbol.asyncDispose]();
    expect(await transport.closed).toMatchObject({ kind: "local" });
    await transport[Symbol.asyncDispose]();
  });
});

test("a real child: bytes cut anywhere, a large answer, and its end", async () => {
  const script = `
    const out = Bun.stdout.writer();
    for await (const line of console) {
      const { id, params } = JSON.parse(line);
      const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result: "é😀".repeat(params.size) }) + "\\n");
      const cut = Math.min(bytes.length - 1, 43);
      out.write(bytes.subarray(0, cut)); await out.flush();
      out.write(bytes.subarray(cut)); await out.flush();
      if (params.size === 0) process.exit(4);
    }`;
  const log = silent;
  const env = { PATH: "/usr/bin:/bin" };
  const spec = { name: "srv", command: process.execPath, args: ["-e", script], env };
  const transport = openStdio(spawnChild(spec, { log, reaper: undefined }), { name: "srv", log });
  await using peer = createPeer(transport, { name: "srv", log });
  for (const size of [1, 65_536, 1_000_000]) {
    const { response } = await peer.request("m", { size }, { timeoutMs: 20_000 });
    expect(response.result === "é😀".repeat(size)).toBe(true);
  }
  await peer.request("m", { size: 0 }, { timeoutMs: 20_000 });
  expect(await peer.closed).toMatchObject({ kind: "exit", exitCode: 4 });
});

test.each([1, 3])("%d messages of the turn in which the link is closed go out", async (count) => {
  const spec = { name: "srv", command: "cat", args: [], env: { PATH: "/usr/bin:/bin" } };
  const child = spawnChild(spec, { log: silent, reaper: undefined });
  const transport = openStdio(child, { name: "srv", log: silent });
  const echoed = all(transport);
  const sent = Array.from({ length: count }, (_, id) =>
    transport.send({ jsonrpc: "2.0", id, method: "m" }),
  );
  await transport[Symbol.asyncDispose]();
  await Promise.all(sent);
  expect(await echoed).toHaveLength(count);
});
