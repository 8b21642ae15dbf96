/** Pipes and streams that are full, never rest, or are none: nothing is held up by them. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { hostile } from "./kit.ts";

test("a stderr that is full and read by nobody holds up nothing", async () => {
  await using home = await tempDir();
  const command = [...sourceProgram, "call", "t", "--", ...hostile("logs")];
  const proc = Bun.spawn(command, {
    env: { PATH: process.env["PATH"], HOME: home.path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    lazy: true, // nothing reads stderr
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  expect(await proc.stdout.text()).toBe("ok\n");
  expect(await proc.exited).toBe(0);
  await nothingLeft(home.path);
});

test.each(["asks", "tells"])(
  "a stream that never rests (%s) keeps nobody from giving it up",
  async (mode) => {
    const server = Bun.spawn([...bunAlone, join(root, "test/fixtures/break/streams.ts"), mode], {
      stdout: "pipe",
    });
    try {
      const { value } = await server.stdout.getReader().read();
      const url = new TextDecoder().decode(value).trim();
      const run = await mcphost("call", "t", "--max-time", "1s", "-s", `web=${url}`).run();
      expectRun(run, { code: 4, stderr: /^mcphost: [^]*given up after 1 s \(--max-time\)/ });
    } finally {
      server.kill("SIGKILL");
    }
  },
);

test.each(["call t -", "call t x=@-", "gateway"])(
  "a folder as stdin is a wrong line: %s",
  async (line) => {
    await using home = await tempDir();
    const words = line.split(" ");
    const proc = Bun.spawn(
      ["sh", "-c", 'exec "$@" < /', "sh", ...sourceProgram, ...words, "--", ...hostile("plain")],
      { env: { PATH: process.env["PATH"], HOME: home.path }, stdout: "pipe", stderr: "pipe" },
    );
    const [stdout, stderr] = await Promise.all([proc.stdout.text(), proc.stderr.text()]);
    expect({ code: await proc.exited, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mcphost: stdin cannot be read \(EISDIR\)\n/);
  },
);

test.skipIf(process.platform !== "linux")(
  "a client that never stops writing does not keep the gateway from hearing a signal",
  async () => {
    await using home = await tempDir();
    const proc = Bun.spawn([...sourceProgram, "gateway", "--", ...hostile("plain")], {
      env: { PATH: process.env["PATH"], HOME: home.path },
      stdin: Bun.file("/dev/zero"),
      stdout: "ignore",
      stderr: "pipe",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    const readBytes = async () =>
      Number(/rchar: (\d+)/.exec(await Bun.file(`/proc/${proc.pid}/io`).text())?.[1]);
    await waitFor(async () => (await readBytes()) > 50_000_000);
    proc.kill("SIGTERM");
    expect(await proc.stderr.text()).toBe("mcphost: terminated (SIGTERM)\n");
    expect(await proc.exited).toBe(143);
    await nothingLeft(home.path);
  },
);

test.skipIf(process.platform !== "linux")(
  "a client of the gateway that does not read what it is answered is read no further",
  async () => {
    await using dir = await tempDir();
    const count = 600_000;
    const asked = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(count);
    await Bun.write(dir.file("asked"), asked);
    const proc = Bun.spawn([...sourceProgram, "gateway", "--", ...hostile("plain")], {
      env: { PATH: process.env["PATH"], HOME: dir.path },
      stdin: Bun.file(dir.file("asked")),
      stdout: "pipe",
      stderr: "inherit",
      lazy: true,
      timeout: 25_000,
      killSignal: "SIGKILL",
    });
    const readBytes = async () =>
      Number(/rchar: (\d+)/.exec(await Bun.file(`/proc/${proc.pid}/io`).text())?.[1]);
    let before = 0;
    await waitFor(async () => {
      const now = await readBytes();
      const rests = now === before && now > 4_000_000;
      before = now;
      await Bun.sleep(200);
      return rests;
    });
    expect(before).toBeLessThan(asked.length);
    const answers = await proc.stdout.text();
    expect(answers.split("\n")).toHaveLength(count + 1);
    expect(await proc.exited).toBe(0);
  },
);
