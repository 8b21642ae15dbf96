/** Reported faults of sizes on the way: full pipes, large arguments, and lines longer than any buffer. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, type Run } from "../harness.ts";
import { call, config, entry, hostOver, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

/** It went well, and printed so many characters, which nobody wants to see when it did not. */
function expectLength({ code, stdout, stderr }: Run, length: number): void {
  expect({ code, length: stdout.length, stderr }).toEqual({ code: 0, length, stderr: "" });
}

const KiB = 1024;
const MiB = 1024 * KiB;

describe.concurrent("B098 large arguments", () => {
  const sizes = [4 * KiB, 5 * KiB, 64 * KiB, MiB, 8 * MiB];

  test.each(["logs-all", "reads-slowly", "writes-first"])(
    "%s: come back whole, in either direction at once, and other servers are as ever",
    async (fault) => {
      await using host = await hostOver({ s: entry(`wire.${fault}`), other: entry("wire.sized") });
      await host.tools();
      for (const size of fault === "reads-slowly" ? sizes.filter((one) => one <= MiB) : sizes) {
        const value = "a".repeat(size);
        const big = host.call({ tool: "s.message", arguments: { text: value } });
        const small = host.call({
          tool: "other.message",
          arguments: { text: "beside" },
          timeoutMs: 5000,
        });
        expect(textOf(await small)).toBe("beside");
        const back = textOf(await big);
        expect(back.length).toBe(size);
        expect(back === value).toBe(true);
      }
      expect(textOf(await host.call({ tool: "s.message", arguments: { text: "after" } }))).toBe(
        "after",
      );
    },
  );

  test.each([4 * KiB, 64 * KiB, MiB, 8 * MiB])(
    "%d bytes by the command line, from stdin",
    async (size) => {
      const value = "a".repeat(size);
      for (const words of [["text=@-"], ["-"]]) {
        const run = await call("wire.logs-all", "message", ...words)
          .stdin(words[0] === "-" ? JSON.stringify({ text: value }) : value)
          .run();
        expectLength(run, size + 1);
      }
    },
  );

  test("a large answer while a large argument is still being taken", async () => {
    await using host = await hostOver({ s: entry("wire.writes-first") });
    await host.tools();
    const value = "a".repeat(5_000_000);
    expect(textOf(await host.call({ tool: "message", arguments: { text: value } })).length).toBe(
      5_000_000,
    );
  });
});

describe.concurrent("B103 lines longer than anybody's buffer", () => {
  const sizes = [65_535, 65_536, 65_537, MiB, 20 * MiB, 10];

  test("come whole, one after the other, in one session", async () => {
    await using host = await hostOver({ s: entry("wire.sized") });
    for (const bytes of sizes) {
      const value = textOf(await host.call({ tool: "size", arguments: { bytes } }));
      expect(value.length).toBe(bytes);
    }
  });

  test.each(sizes)("%d bytes by the command line", async (bytes) => {
    const run = await call("wire.sized", "size", `bytes=${bytes}`).run();
    expectLength(run, bytes + 1);
  });

  test("the whole line, not the text, may be exactly as long as 65,535 to 65,537 bytes", async () => {
    await using host = await hostOver({ s: entry("wire.sized") });
    const empty = (await host.call({ tool: "size", arguments: { bytes: 0 } })) as { raw: string };
    for (const line of [65_535, 65_536, 65_537]) {
      // What stands round the result: {"jsonrpc":"2.0","id":N,"result":}
      const bytes = line - empty.raw.length - 36;
      for (let more = 0; more < 4; more += 1)
        expect(
          textOf(await host.call({ tool: "size", arguments: { bytes: bytes + more } })).length,
        ).toBe(bytes + more);
    }
  });

  test("over the cap: that call fails at once and says so, and the next one works", async () => {
    await using host = await hostOver(
      { s: entry("wire.sized") },
      { limits: { lineBytesMax: MiB } },
    );
    await host.tools();
    const started = performance.now();
    const outcome = await host.call({ tool: "size", arguments: { bytes: 2 * MiB } });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "rpc_error", facts: { bytesMax: MiB } },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(textOf(await host.call({ tool: "size", arguments: { bytes: 3 } }))).toBe("xxx");
    const words = config({ s: entry("wire.sized") }, { limits: { lineBytesMax: MiB } });
    const run = await mcphost("call", "size", `bytes=${2 * MiB}`, ...words).run();
    expectRun(run, { code: 1, stderr: /limit of 1048576 bytes/ });
  });

  test("beside it, other calls of the same server get their answers", async () => {
    await using host = await hostOver(
      { s: entry("wire.sized") },
      { limits: { lineBytesMax: MiB } },
    );
    await host.tools();
    const calls = [10, 2 * MiB, 20, 3 * MiB, 30].map((bytes) =>
      host.call({ tool: "size", arguments: { bytes } }),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "completed",
      "failed",
      "completed",
      "failed",
      "completed",
    ]);
  });
});
