/** The transport over one child: what it makes of bytes and of noise. */
import { expect, test } from "bun:test";

import { silent } from "../../lib/base/log.ts";
import { spawnChild } from "../../lib/process/spawn.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import { openStdio } from "../../lib/transport/stdio.ts";
import { all, fake, open, reply } from "./stdio-kit.ts";

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
