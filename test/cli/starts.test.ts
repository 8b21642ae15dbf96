/** Servers that do not start, start twice, or take long to: what a person sees of it. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

const fixture = (name: string) => [...bunAlone, join(root, "test/fixtures", name)];
const waits = (file: string) => [...fixture("cli/waits.ts"), file];

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
    const tty = await mcphost("tools", "--", dir.file("docker"), "run", "-i", "-t", "x").run();
    expectRun(tty, {
      code: 3,
      stderr: /\n {2}stderr: no such image\n {2}its last lines on stderr/,
    });
  });
});

describe.concurrent("a server that takes long to start", () => {
  const line = 'starting server "server" …';
  const erase = "\r\u001b[K";

  test("is named on a terminal, until it is up", async () => {
    await using dir = await tempDir();
    const file = dir.file("go");
    await using screen = await mcphost(
      "call",
      "echo",
      "message=x",
      "--",
      ...waits(file),
    ).terminal();
    await screen.shows(new RegExp(`${line}$`));
    await Bun.write(file, "");
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toBe(`${erase}${line}${erase}x\r\n`);
  });

  test("is named below what it says", async () => {
    await using dir = await tempDir();
    const words = ["tools", "need", "--stderr", "--", ...waits(dir.file("go"))];
    await using screen = await mcphost(...words).terminal();
    await screen.shows(new RegExp(`fetching\r\n.*${line}$`, "s"));
    await Bun.write(dir.file("go"), "");
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(`${line}${erase}need(`);
  });

  test("is not named where nobody wants it", async () => {
    for (const words of [["-q"], ["--json"]]) {
      await using dir = await tempDir();
      const command = ["call", "echo", "message=x", ...words, "--", ...waits(dir.file("go"))];
      await using screen = await mcphost(...command).terminal();
      await Bun.sleep(1200);
      expect(screen.text()).toBe("");
      await Bun.write(dir.file("go"), "");
      expect(await screen.exited).toBe(0);
      expect(screen.text()).not.toContain("\u001b");
    }
  });

  test("is not named while somebody is asked about it, but afterwards", async () => {
    await using dir = await tempDir();
    const [command, ...args] = waits(dir.file("go"));
    await Bun.write(
      dir.file(".mcp.json"),
      JSON.stringify({ mcpServers: { far: { command, args } } }),
    );
    await using screen = await mcphost("call", "echo", "message=x").cwd(dir.path).terminal();
    await screen.shows(/Trust it\?/);
    await Bun.sleep(1200);
    expect(screen.text()).not.toContain("starting");
    screen.type("y");
    await screen.shows(/starting server "far" …$/);
    await Bun.write(dir.file("go"), "");
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith(`${erase}x\r\n`);
  });

  test("gives way to the error of its end, and to Ctrl-C", async () => {
    await using dir = await tempDir();
    await using screen = await mcphost("tools", "--", ...waits(dir.file("go"))).terminal();
    await screen.shows(new RegExp(`${line}$`));
    screen.type("\u0003");
    expect(await screen.exited).toBe(130);
    expect(screen.text().replace("^C", "")).toContain(`${line}${erase}mcphost: interrupted`);
    const timed = ["tools", "--max-time", "1", "--", ...waits(dir.file("go"))];
    await using late = await mcphost(...timed).terminal();
    expect(await late.exited).toBe(4);
    expect(late.text()).toContain(`${line}${erase}mcphost: given up`);
  });
});

test("a server that ends on the probe and is started again is complained of once", async () => {
  const run = await mcphost("tools", "--", ...fixture("client/noisy-on-probe.ts")).run();
  expect(run.code).toBe(0);
  expect(run.stderr.match(/no message/g)).toHaveLength(1);
});
