/** Reported faults of ids, of answers that are none, and of answers that come too late. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { call, config, entry, faulty, hostOver, linesOf, messagesIn, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

const answer = (text: string) => ({ content: [{ type: "text", text }] });
/** A host over a server that notes in a file what it was told. */
const marking = (fault: string, marks: string) =>
  hostOver({ s: entry(`ids.${fault}`, { env: { FIXTURE_MARKS: marks } }) });

describe.concurrent("B052 a server that always answers with id 0", () => {
  test("is told of soon, and nothing is taken for an answer", async () => {
    const run = await call("ids.always-zero", "fault").run();
    // The last error says it, not only a warning above it.
    expectRun(run, {
      code: 3,
      stderr: /did not answer initialize .*under id 0, which was never sent/,
    });
    expect(run.ms).toBeLessThan(15_000);
    await nothingLeft(run.marker, 20_000);
  });

  test("ids of ours begin at 1 and are never used twice", async () => {
    await using dir = await tempDir();
    const seen = dir.file("seen");
    await using host = await hostOver({ s: entry("ids.late", { env: { FIXTURE_SEEN: seen } }) });
    for (let n = 0; n < 3; n++) await host.call({ tool: "fast" });
    const ids = (await messagesIn(seen)).flatMap(({ id }) => id ?? []);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
  });

  test("in a call it fails by its own, quickly, and never another one's", async () => {
    const zero = '{"jsonrpc":"2.0","id":0,"result":{"content":[]}}';
    await using host = await hostOver({ s: entry("ids.literal", {}, zero) });
    const started = performance.now();
    const outcome = await host.call({ tool: "fault" });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "timeout", facts: { stray: "0" } },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(textOf(await host.call({ tool: "fault" }))).toContain("never sent");
  });
});

describe.concurrent("B053 an error without the request's id", () => {
  const parse = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}';
  test.each([
    ["null", parse],
    ["none", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}'],
    ["0 (made up)", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":0}'],
  ])("id %s to the first list fails that one request, and the next one works", async (_, text) => {
    const run = await mcphost("tools", "--", ...faulty("ids.null-on-list", text)).run();
    expectRun(run, { code: 3, stderr: /Parse error/ });
    await using host = await hostOver({ s: entry("ids.null-on-list", {}, text) });
    expect(await host.tools()).toMatchObject({
      failed: [{ error: { facts: { rpcCode: -32700 } } }],
    });
    expect(textOf(await host.call({ tool: "echo", arguments: { message: "on" } }))).toBe("on");
    expect(host.logged.map((line) => line.text).join("\n")).toMatch(
      /an error (without an id|under id 0, which was never sent): Parse error \(-32700\)/,
    );
  });

  test("a made-up 0 resolves nothing", async () => {
    const zero = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":0}';
    const words = ["--", ...faulty("ids.null-on-list", zero)];
    const run = await mcphost("tools", "--timeout", "1", ...words).run();
    expect(run.code).toBeGreaterThan(0);
    expect(run.stderr).toMatch(/under id 0/);
  });

  test("with several waiting nobody can tell whose it is, and each waits for its own", async () => {
    await using host = await hostOver({ s: entry("ids.late-null") });
    const slow = host.call({ tool: "slow", arguments: { ms: 100 }, timeoutMs: 1000 });
    const fast = host.call({ tool: "fast", arguments: { ms: 400 } });
    expect(textOf(await fast)).toBe("fast");
    expect(await slow).toMatchObject({ error: { code: "timeout" } });
  });
});

describe.concurrent('B055 1 and "1" are two ids', () => {
  test("each of the server's questions is answered under its id with its type", async () => {
    const words = config({ s: entry("ids.two-ones", { roots: ["/tmp"] }) });
    const run = await mcphost("call", "fault", ...words).run();
    expectRun(run, { stdout: '[["1",{}],[1,{"roots":[{"uri":"file:///tmp"}]}]]\n' });
  });

  test("calls that are answered in the reverse order each get their own", async () => {
    await using host = await hostOver({ s: entry("ids.reverse") });
    const both = [1, 2].map((n) => host.call({ tool: "fault", arguments: { n } }));
    expect((await Promise.all(both)).map(textOf)).toEqual(["n=1", "n=2"]);
  });
});

describe.concurrent("B056 an answer that comes after its time", () => {
  test.each(["late", "late-error", "late-null", "late-twice"])(
    "%s: dropped, and the call that waits meanwhile gets its own",
    async (fault) => {
      await using dir = await tempDir();
      const marks = dir.file("marks");
      await using host = await marking(fault, marks);
      await host.tools();
      const slow = await host.call({ tool: "slow", arguments: { ms: 600 }, timeoutMs: 200 });
      expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
      const second = host.call({ tool: "fast", arguments: { ms: 1000 } });
      await waitFor(async () => (await linesOf(marks)).includes("answered"), "the late answer");
      expect(textOf(await second)).toBe("fast");
      expect(textOf(await host.call({ tool: "fast" }))).toBe("fast");
      expect(host.servers()).toMatchObject([{ state: "ready" }]);
      expect(host.logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
    },
  );
});

describe.concurrent("B058 servers that cannot take a cancellation", () => {
  test.each(["dies-of-cancel", "crashes-of-cancel"])(
    "%s: the next call starts it again",
    async (fault) => {
      await using dir = await tempDir();
      const starts = dir.file("starts");
      await using host = await hostOver({
        s: entry(`ids.${fault}`, { env: { FIXTURE_STARTS: starts } }),
      });
      const slow = await host.call({ tool: "hang", timeoutMs: 200 });
      expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
      await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
      expect(textOf(await host.call({ tool: "echo", arguments: { message: "back" } }))).toBe(
        "back",
      );
      expect(await linesOf(starts)).toHaveLength(2);
    },
  );

  test.each(["dies-of-cancel", "crashes-of-cancel"])(
    "%s: a call that waits beside it says that the server is gone",
    async (fault) => {
      await using dir = await tempDir();
      const marks = dir.file("marks");
      await using host = await marking(fault, marks);
      const other = host.call({ tool: "hang" });
      await waitFor(async () => (await linesOf(marks)).length === 1, "the first call");
      await host.call({ tool: "hang", timeoutMs: 100 });
      expect(await other).toMatchObject({ status: "uncertain" });
    },
  );

  test.each(["null-to-cancel", "none-to-cancel", "id-to-cancel", "stack-to-cancel"])(
    "%s: ignored, also by the call that waits meanwhile",
    async (fault) => {
      await using dir = await tempDir();
      const marks = dir.file("marks");
      await using host = await marking(fault, marks);
      await host.tools();
      await host.call({ tool: "hang", timeoutMs: 100 });
      await waitFor(async () => (await linesOf(marks)).includes("cancelled"), "the cancellation");
      const second = await host.call({ tool: "hang", timeoutMs: 300 });
      expect(second).toMatchObject({ status: "failed", error: { code: "timeout" } });
      expect(textOf(await host.call({ tool: "echo", arguments: { message: "on" } }))).toBe("on");
      expect(host.servers()).toMatchObject([{ state: "ready" }]);
    },
  );

  test.each(["dies-of-cancel", "null-to-cancel", "stack-to-cancel"])(
    "%s by the command line",
    async (fault) => {
      const run = await call(`ids.${fault}`, "hang", "--timeout", "300ms").run();
      expectRun(run, { code: 4, stderr: /did not answer/ });
      await nothingLeft(run.marker, 20_000);
    },
  );
});

const shapes: [name: string, message: string, said: RegExp][] = [
  [
    "result and error",
    `{"jsonrpc":"2.0","id":ID,"result":{"tools":[],"content":[]},"error":{"code":-5,"message":"both"}}`,
    /both/,
  ],
  ["neither", '{"jsonrpc":"2.0","id":ID}', /neither a result nor an error/],
  ["an error that is a text", '{"jsonrpc":"2.0","id":ID,"error":"boom"}', /boom/],
  [
    "an error without a code",
    '{"jsonrpc":"2.0","id":ID,"error":{"message":"codeless"}}',
    /codeless/,
  ],
  ["an error without a message", '{"jsonrpc":"2.0","id":ID,"error":{"code":-7}}', /-7/],
  [
    "an error with an empty message",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":""}}',
    /-7: \S/,
  ],
  ["an empty error", '{"jsonrpc":"2.0","id":ID,"error":{}}', /error/],
  [
    "an error that is null beside a null result",
    '{"jsonrpc":"2.0","id":ID,"error":null,"result":null}',
    /not an object|neither/,
  ],
  ["a null result", '{"jsonrpc":"2.0","id":ID,"result":null}', /not an object/],
  ["a number as the result", '{"jsonrpc":"2.0","id":ID,"result":7}', /not an object/],
  ["a text as the result", '{"jsonrpc":"2.0","id":ID,"result":"x"}', /not an object/],
];

describe.concurrent("G004 answers that are none fail their own request with a clear reason", () => {
  test.each(shapes)("%s, to tools/call", async (_, message, said) => {
    const run = await mcphost(
      "call",
      "fault",
      "--",
      ...faulty("ids.literal", message, "tools/call"),
    ).run();
    expectRun(run, { code: 1, stderr: said });
    expect(run.stderr).toMatch(/server "server"/);
    expect(run.stderr).not.toMatch(/undefined|\[object|at .*\.ts:/);
  });

  test.each(shapes)("%s, to tools/list", async (_, message, said) => {
    const run = await mcphost("tools", "--", ...faulty("ids.literal", message, "tools/list")).run();
    expectRun(run, { code: 3, stderr: said });
    expect(run.stderr).not.toMatch(/undefined|\[object|at .*\.ts:/);
  });

  test("an error that is null counts as none", async () => {
    const message = `{"jsonrpc":"2.0","id":ID,"error":null,"result":${JSON.stringify(answer("right"))}}`;
    const run = await mcphost(
      "call",
      "fault",
      "--",
      ...faulty("ids.literal", message, "tools/call"),
    ).run();
    expectRun(run, { stdout: "right\n" });
  });
});

describe.concurrent(
  "G005 jsonrpc that is missing or wrong is accepted by shape, with a debug line",
  () => {
    test.each(["", '"1.0"', "2", '"2"', "null"])("%p", async (version) => {
      const server = faulty("ids.other-jsonrpc", version);
      expectRun(await mcphost("call", "fault", "--", ...server).run(), { stdout: "right\n" });
      const debug = await mcphost("call", "fault", "--log-level", "debug", "--", ...server).run();
      expectRun(debug, { stdout: "right\n", stderr: /debug: .*a message with .*jsonrpc/ });
    });

    test("method and result in one message", async () => {
      const run = await call("ids.method-and-result", "fault", "--timeout", "2").run();
      expectRun(run, { stdout: "right\n" });
    });
  },
);

describe.concurrent("G007 ids that were written anew", () => {
  const result = `"result":${JSON.stringify(answer("right"))}`;
  test.each(["ID.0", "IDe0", "ID.000", '"ID"'])("%s is the id itself", async (id) => {
    const message = `{"jsonrpc":"2.0","id":${id},${result}}`;
    const run = await mcphost("call", "fault", "--", ...faulty("ids.literal", message)).run();
    expectRun(run, { stdout: "right\n" });
  });

  test.each(['"0ID"', "9007199254740993", '"ID.0"', "ID.5", "-ID", '" ID"', "true", "{}", "[ID]"])(
    "%s is unknown, and reported",
    async (id) => {
      const message = `{"jsonrpc":"2.0","id":${id},${result}}`;
      const run = await mcphost(
        "call",
        "fault",
        "--timeout",
        "500ms",
        "--",
        ...faulty("ids.literal", message),
      ).run();
      expect(run).toMatchObject({ code: 4, stdout: "" });
      expect(run.stderr).toMatch(/never sent|not JSON-RPC|no message/);
    },
  );
});

describe.concurrent("answers that are errors", () => {
  test("O010 a server that does not know ping is alive", async () => {
    const run = await mcphost("doctor", "--", ...faulty("ids.no-ping")).run();
    expect(run.code).toBe(0);
    expectRun(await call("ids.no-ping", "echo", "message=x").run(), { stdout: "x\n" });
  });

  test("O011 an error of code 0 is an error like any other, with its message", async () => {
    expectRun(await call("ids.error-zero", "fault").run(), {
      code: 1,
      stderr: /error 0: zero went wrong/,
    });
    const json = await call("ids.error-zero", "fault", "--json").run();
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "rpc_error", rpcCode: 0 } });
    await using host = await hostOver({ s: entry("ids.error-zero") });
    expect(await host.call({ tool: "fault" })).toMatchObject({
      status: "failed",
      error: { facts: { rpcCode: 0 } },
    });
  });
});
