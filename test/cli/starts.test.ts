/** Servers that do not start, start twice, or take long to: what a person sees of it. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

const fixture = (name: string) => [...bunAlone, join(root, "test/fixtures", name)];

setDefaultTimeout(30_000);

describe.concurrent("what does not start says how to mend it", () => {
  test("a whole command line as one word", async () => {
    const run = await mcphost("tools", "--", "bun x.ts").run();
    expectRun(run, { code: 3, stderr: /"bun x\.ts" was not found.*\n.*drop the quotes/ });
  });

  test("a container without -i, which ends without a word", async () => {
    const PATH = [join(root, "test/fixtures/bin"), process.env["PATH"]].join(delimiter);
    const docker = ["docker", "run", "--rm", "-v", `${root}:/app`, "oven/bun", process.execPath];
    const call = (...words: string[]) =>
      mcphost("call", "echo", "message=x", "--", ...words, "/app/examples/echo.ts").env({ PATH });
    const run = await call(...docker).run();
    expectRun(run, {
      code: 3,
      stderr:
        /^mcphost: server "server" .*\n {2}docker run without -i: .*; docker run -i --rm …\n$/,
    });
    expectRun(await call(...docker.with(2, "-i")).run(), { stdout: "x\n" });
  });

  test("what a server itself says of its end comes first", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("docker"), "#!/bin/sh\necho no such image >&2\nexit 1\n");
    await chmod(dir.file("docker"), 0o755);
    const run = await mcphost("tools", "--", dir.file("docker"), "run", "x").run();
    expectRun(run, { code: 3, stderr: /\n {2}stderr: no such image\n {2}docker run without -i/ });
  });
});

test("a server that ends on the probe and is started again is complained of once", async () => {
  const run = await mcphost("tools", "--", ...fixture("client/noisy-on-probe.ts")).run();
  expect(run.code).toBe(0);
  expect(run.stderr.match(/no message/g)).toHaveLength(1);
});
