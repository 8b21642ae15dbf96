/** A hostile server, a hostile home and bad luck: what must hold whatever a server does. */
import { expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";

const hostile = (mode: string) => [...bunAlone, join(root, "test/fixtures/break/hostile.ts"), mode];
/** What a terminal would act on, as bytes on the wire. */
const acting = [
  "\u001b[31m",
  "\u001b]0;",
  "\u001b]8;",
  "\u202e",
  "\u2066",
  "\u009b",
  "\0",
  "\b",
  "\u007f",
];

test.each([
  [["tools"]],
  [["tools", "t"]],
  [["tools", "--json"]],
  [["servers", "--check"]],
  [["doctor"]],
  [["call", "t"]],
  [["call", "t", "--json"]],
  [["call", "t", "--json", "--events"]],
  [["call", "t", "--stderr", "--log-level", "debug"]],
  [["call", "t", "y=1", "--json"]],
])("nothing that a server says acts on a terminal: %j", async (words) => {
  await using screen = await mcphost(...words, "--", ...hostile("evil")).terminal();
  await screen.exited;
  expect(screen.text()).toContain("RED");
  expect(acting.filter((bytes) => screen.text().includes(bytes))).toEqual([]);
  await nothingLeft(screen.marker);
});

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

test("20 calls at once share one cache folder", async () => {
  await using home = await tempDir();
  const runs = await Promise.all(
    Array.from({ length: 20 }, () =>
      mcphost("call", "t", "--", ...hostile("plain"))
        .home(home.path)
        .run(),
    ),
  );
  for (const run of runs) expectRun(run, { stdout: "ok\n" });
  expect(await readdir(home.file("cache", "mcphost", "eras"))).toHaveLength(1);
});

test("${file:/dev/zero} of one server is refused, and the other server is listed", async () => {
  await using home = await tempDir();
  const [command = "", ...args] = hostile("plain");
  const z = { command, args: ["${file:/dev/zero}"] };
  await Bun.write(home.file("c.json"), JSON.stringify({ mcpServers: { h: { command, args }, z } }));
  const run = await mcphost("tools", "-c", home.file("c.json")).run();
  expect(run.stdout).toContain("h_t(");
  expect(run.stderr).toContain("/dev/zero cannot be read: it is a device");
  await nothingLeft(run.marker);
});

test("a tool with a line break in its name takes one line of the list", async () => {
  const run = await mcphost("tools", "--", ...hostile("two-lines")).run();
  expectRun(run, { stdout: 't(x?: string)\n"a\\nb(x: string)"()\n' });
  const json = await mcphost("tools", "--json", "--", ...hostile("two-lines")).run();
  expect(JSON.parse(json.stdout)[1].name).toBe("a\nb(x: string)");
});

test.each(["doubling", "unique", "enum"])(
  "an outputSchema that takes for ever to check holds up nothing: %s",
  async (mode) => {
    // Without a bound it takes hours.
    const run = await mcphost("call", "t", "--", ...hostile(mode))
      .timeoutMs(60_000)
      .run();
    expectRun(run, { stdout: "ok\n", stderr: /not checked.*longer than 1000 ms/ });
  },
  70_000,
);

test("arguments that are nested too deeply are said to be, and the schema is not blamed", async () => {
  const deep = `{"x": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const run = await mcphost("call", "t", "-", "--", ...hostile("plain"))
    .stdin(deep)
    .run();
  expect(run.stderr).toContain(
    "the arguments of t are not checked: the value is nested more than 1000 levels deep",
  );
});

test("no answer to tools/list in time: the call was not sent, exit 3", async () => {
  const words = ["call", "t", "--timeout", "1", "--json", "--", ...hostile("no-list")];
  const run = await mcphost(...words).run();
  expect(JSON.parse(run.stderr).error).toMatchObject({
    code: "server_start",
    message: 'server "server" did not answer tools/list within 1000 ms',
    sent: false,
  });
  expect(run.code).toBe(3);
});

test.each([
  [hostile("no-list"), 'while server "server" was to answer tools/list'],
  [[...bunAlone, join(root, "test/fixtures/client/mute.ts")], 'before server "server" was ready'],
])(
  "--max-time says what was under way: %#",
  async (server, step) => {
    // As long as it takes until that is under way.
    for (const time of ["1.5", "5", "20"]) {
      const words = ["call", "t", "--max-time", time, "--", ...server];
      const run = await mcphost(...words).run();
      if (!run.stderr.includes(step) && time !== "20") continue;
      return expectRun(run, {
        code: 4,
        stderr: new RegExp(`after ${RegExp.escape(time)} s \\(--max-time\\) ${step}`),
      });
    }
  },
  60_000,
);

test("a call that learned something leaves no more than 500 verdicts", async () => {
  await using home = await tempDir();
  const eras = home.file("cache", "mcphost", "eras");
  await mkdir(eras, { recursive: true });
  for (let n = 0; n < 510; n += 1)
    await Bun.write(join(eras, n.toString(16).padStart(32, "0")), "{}");
  // A plain call looks through the folder one time in 64; the flag makes it a call of the host's, which always does.
  const run = await mcphost("call", "t", "--no-user-config", "--", ...hostile("plain"))
    .home(home.path)
    .run();
  expectRun(run, { stdout: "ok\n" });
  expect(await readdir(eras)).toHaveLength(500);
});
