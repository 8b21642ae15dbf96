/** Reported faults of the form of answers: neither result nor error, another jsonrpc, ids written anew. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { call, entry, faulty, hostOver } from "./kit.ts";

setDefaultTimeout(30_000);

const answer = (text: string) => ({ content: [{ type: "text", text }] });

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

const calling = (message: string) =>
  mcphost("call", "fault", "--", ...faulty("ids.literal", message, "tools/call")).run();

describe.concurrent("G004 answers that are none fail their own request with a clear reason", () => {
  test.each(shapes)("%s, to tools/call", async (_, message, said) => {
    const run = await calling(message);
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
    const run = await calling(message);
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
