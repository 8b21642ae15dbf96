/** The transport over one child: the ways in which the child or the link ends. */
import { describe, expect, test } from "bun:test";

import { silent } from "../../lib/base/log.ts";
import type { Reaper } from "../../lib/process/child.ts";
import { spawnChild } from "../../lib/process/spawn.ts";
import { openStdio } from "../../lib/transport/stdio.ts";
import { all, fake, open, reply } from "./stdio-kit.ts";

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
