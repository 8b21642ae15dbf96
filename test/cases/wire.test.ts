/** Reported faults of bytes on the way: characters that are cut, noise, framing. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { unicode } from "../fixtures/cases/wire.ts";
import { expectRun, mcphost } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { call, config, entry, faulty, hostOver, textOf, tools } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("B101 characters that are cut between two writes", () => {
  test.each(["byte-by-byte", "cut-characters"])(
    "%s: description and result are the original, byte for byte",
    async (fault) => {
      expectRun(await call(`wire.${fault}`, "fault").run(), { stdout: `${unicode}\n` });
      const list = await tools(`wire.${fault}`, "fault", "--json").run();
      expect(JSON.parse(list.stdout)).toMatchObject([{ description: unicode }]);
      expect(list.stdout + list.stderr).not.toContain("\uFFFD");
    },
  );

  test("--json keeps the escapes as they came", async () => {
    const run = await call("wire.byte-by-byte", "fault", "--json").run();
    expect(run.stdout).toContain("\\ud83d\\ude00");
    expect(JSON.parse(run.stdout)).toEqual({ content: [{ type: "text", text: unicode }] });
  });
});

describe.concurrent("an encoding that is not UTF-8", () => {
  const warning =
    "mcphost: warning: [server] what it writes is not UTF-8: characters are lost (Python: PYTHONUTF8=1)\n";

  test("is told once, with what comes of it", async () => {
    expectRun(await call("wire.latin1", "fault").run(), { stdout: "caf\ufffd\n", stderr: warning });
    const list = await tools("wire.latin1").run();
    expectRun(list, { stdout: /caf\ufffd\n$/, stderr: warning });
    const looked = await mcphost("doctor", "--", ...faulty("wire.latin1")).run();
    expectRun(looked, { stdout: /: ok,.*\n {2}warning: .* not UTF-8.*\n.*PYTHONUTF8=1/ });
  });

  test("is none where the server itself wrote U+FFFD", async () => {
    const server = faulty("wire.latin1", "a\ufffdé");
    expectRun(await mcphost("call", "fault", "--", ...server).run(), { stdout: "a\ufffdé\n" });
  });
});

describe.concurrent("B104 Content-Length frames", () => {
  test.each(["writes-frames", "writes-frames-and-lines"])(
    "(a) %s: the JSON is taken, whatever its size",
    async (fault) => {
      expectRun(await call(`wire.${fault}`, "message", "text=漢字").run(), {
        stdout: "漢字\n",
        stderr: /Content-Length/,
      });
      expectRun(await tools(`wire.${fault}`).run(), {
        stdout: /^echo\(/,
        stderr: /Content-Length/,
      });
      const large = await call(`wire.${fault}`, "size", "bytes=300000", "-q").run();
      expect({ code: large.code, length: large.stdout.length, stderr: large.stderr }).toEqual({
        code: 0,
        length: 300_001,
        stderr: "",
      });
    },
  );

  test("(b) frames only: a timeout that says what it is", async () => {
    const words = config({ s: entry("wire.frames-only", { startTimeoutMs: 1200 }) });
    const run = await mcphost("call", "echo", ...words).run();
    expectRun(run, { code: 3, stderr: /"s" did not answer initialize.*Content-Length/s });
    await nothingLeft(run.marker, 20_000);
  });
});

const banners: Record<string, string> = {
  "a version": "Fixture server 1.0 ready\n",
  "a bracket": "[db] connected\n",
  "a brace": "{starting}\n",
  "a digit": "7 tools loaded\n",
  empty: "\n",
  42: "42\n",
  "a text": '"x"\n',
  "an object": "{}\n",
  "a list": "[]\n",
  null: "null\n",
  true: "true\n",
  "an object that is none of ours": '{"level":"info","msg":"up"}\n',
  "control characters": "\u0001\u0007\u001b[2J x\n",
  "a very long line": `${"=".repeat(100_000)}\n`,
  all: 'Fixture 1.0\n[db] connected\n7 tools\n\n42\n"x"\n{}\n[]\n',
};

describe.concurrent("B106 a banner on stdout before the handshake", () => {
  test.each(Object.entries(banners))("%s", async (name, banner) => {
    const server = faulty("wire.banner", banner);
    const run = await mcphost("call", "echo", "message=x", "--", ...server).run();
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "x\n" });
    // Each line that is none is told with the server's name and a clipped copy; an empty one is nothing.
    if (name === "empty") expect(run.stderr).toBe("");
    else
      expect(run.stderr).toMatch(
        /^mcphost: warning: \[server\] it wrote on stdout what is no message/,
      );
    expect(run.stderr.length).toBeLessThan(2000);
    const list = await mcphost("tools", "-q", "--", ...server).run();
    expectRun(list, { stdout: "echo(message: string)\n" });
  });
});

describe.concurrent("B107 log lines on stdout between messages", () => {
  test("the session survives, and the result is intact", async () => {
    expectRun(await call("wire.log-lines", "fault").run(), {
      stdout: "right\n",
      stderr: /\[server\] it wrote on stdout what is no message .*\[log\] list requested\n/,
    });
    expectRun(await tools("wire.log-lines", "-q").run(), {
      stdout: "echo(message: string)\nfault()\n",
    });
    await using host = await hostOver({ s: entry("wire.log-lines") });
    for (let n = 0; n < 20; n += 1)
      expect(textOf(await host.call({ tool: "fault" }))).toBe("right");
    // Told a few times and then only counted.
    expect(host.logged.filter(({ level }) => level === "warn").length).toBeLessThanOrEqual(5);
  });

  test.each(["glued", "quoted"])(
    "%s to an answer: the right one is taken, and the text is told",
    async (how) => {
      const run = await mcphost("call", "fault", "--", ...faulty("wire.log-glued", how)).run();
      expectRun(run, {
        stdout: "right\n",
        stderr: /it wrote on stdout what is no message \(not JSON\): (calling|upstream)/,
      });
    },
  );

  test("a flood of it is not shown line by line", async () => {
    const run = await call("wire.log-flood", "echo", "message=x").run();
    expectRun(run, { stdout: "x\n", stderr: /more of this kind is only counted/ });
    expect(run.stderr.split("\n").length).toBeLessThan(8);
  });
});

describe.concurrent("G013 lists of messages", () => {
  test.each(["alone", "first", "last", "empty", "nested", "deeper", "mixed", "own"])(
    "%s",
    async (shape) => {
      const run = await mcphost("call", "fault", "--", ...faulty("wire.batch", shape)).run();
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "right\n" });
      // What stands beside an answer is handled as well.
      if (shape === "first" || shape === "last") expect(run.stderr).toContain("beside");
      if (["empty", "nested", "deeper", "mixed", "own"].includes(shape))
        expect(run.stderr).toMatch(/no message/);
      expectRun(await mcphost("tools", "-q", "--", ...faulty("wire.batch", shape)).run(), {
        stdout: "echo(message: string)\nfault()\n",
        stderr: /^/,
      });
    },
  );
});
