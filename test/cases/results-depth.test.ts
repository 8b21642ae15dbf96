/** Reported faults of depth and size of results and schemas. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { call, entry, faulty, hostOver, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("G011 depth and size without measure", () => {
  test.each(["deep-10000", "deep-100000"])("%s by the command line", async (fault) => {
    for (const tool of ["fault", "content"]) {
      for (const words of [[], ["--json"]]) {
        const run = await call(`results.${fault}`, tool, ...words).run();
        expect([0, 1]).toContain(run.code!);
        expect(run.stderr).not.toMatch(/internal error|RangeError|Maximum call stack/);
        if (run.code === 1) expect(run.stderr).toMatch(/server/);
        await nothingLeft(run.marker, 20_000);
      }
    }
  });

  test.each(["deep-1000", "deep-10000", "deep-100000", "deep-1000000"])(
    "%s: the call fails or passes, and the host lives",
    async (fault) => {
      await using host = await hostOver({ s: entry(`results.${fault}`) });
      for (const tool of ["fault", "content"])
        expect(["completed", "failed"]).toContain((await host.call({ tool })).status);
      const after = await host.call({ tool: "echo", arguments: { message: "after" } });
      expect(textOf(after)).toBe("after");
    },
  );

  test("10,000 levels beside a text: the text is printed, and --json has all", async () => {
    expectRun(await call("results.deep-10000", "fault").run(), { stdout: "right\n" });
    const json = await call("results.deep-10000", "fault", "--json").run();
    expect(json.stdout.length).toBeGreaterThan(20_000);
  });

  test.each(["deep-schema-300", "deep-schema-5000", "deep-schema-10000", "deep-schema-100000"])(
    "%s: no other tool is lost, and this one is listed and callable",
    async (fault) => {
      const list = await mcphost("tools", "--", ...faulty(`results.${fault}`)).run();
      if (fault !== "deep-schema-100000" || list.code === 0) {
        expect({
          code: list.code,
          names: list.stdout.split("\n").map((line) => line.split("(")[0]),
        }).toEqual({
          code: 0,
          names: ["good", "fault", "out", ""],
        });
        for (const tool of ["good", "fault", "out"]) {
          const run = await call(`results.${fault}`, tool).run();
          expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "right\n" });
        }
      }
      expect(list.stderr).not.toMatch(/internal error|RangeError|Maximum call stack/);
    },
  );

  test("a key of 10 MB, and 200,000 keys", async () => {
    for (const fault of ["large-key", "many-keys"]) {
      const run = await call(`results.${fault}`, "fault", "-q").run();
      expectRun(run, { stdout: "right\n" });
    }
  });
});
