/** A result that is not what its tool promised, on the command line: a warning, a JSON line, or with --strict an error. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const schema = JSON.stringify({ type: "object", properties: { n: { type: "integer" } } });
const wrong = '{ "content":[{"type":"text","text":"words"}],"structuredContent":{"n":"x"} }';
const program = [...bunAlone, join(root, "test/fixtures/host/output.ts")];
const call = (result: string, ...words: string[]) =>
  mcphost("call", "out", ...words, "--", ...program, schema, result);
const said =
  'the structured result of out does not fit its outputSchema: /n: expected integer, got "x"';
const problems = [{ path: "/n", message: 'expected integer, got "x"' }];
const about = { outputMismatch: problems, server: "server", tool: "out" };
const event = { event: "log", level: "warn", text: said, ...about };

test.concurrent("in words: the result, and a warning beside it", async () => {
  const stderr = `mcphost: warning: [server] ${said}\n`;
  expectRun(await call(wrong).run(), { stdout: "words\n", stderr });
  for (const words of [["-q"], ["--log-level", "error"], ["-q", "--json"]])
    expect((await call(wrong, ...words).run()).stderr).toBe("");
});

test.concurrent("--json: stdout keeps the bytes, stderr has a JSON line", async () => {
  const run = await call(wrong, "--json").run();
  expectRun(run, { stdout: `${wrong}\n`, stderr: /^\{.*\}\n$/ });
  expect(JSON.parse(run.stderr)).toEqual(event);
});

test.concurrent("--events: an event like any other warning", async () => {
  const run = await call(wrong, "--events").run();
  expect(JSON.parse(run.stderr)).toEqual(event);
});

test.concurrent("--strict: an error, and nothing on stdout", async () => {
  const run = await call(wrong, "--strict").run();
  expectRun(run, {
    code: 1,
    stderr: `words\nmcphost: ${said}\n  the call itself was done; without --strict this is a warning\n`,
  });
});

test.concurrent(
  "--strict --json: the result is there, as that of a tool's own error is",
  async () => {
    const run = await call(wrong, "--strict", "--json").run();
    expectRun(run, { code: 1, stdout: `${wrong}\n`, stderr: /^\{.*\}\n$/ });
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: "tool_error",
      message: said,
      server: "server",
      tool: "out",
      outputMismatch: problems,
    });
  },
);

test.concurrent("--strict keeps no file of it", async () => {
  await using dir = await tempDir();
  const file = dir.file("out");
  expect((await call(wrong, "--strict", "-o", file).run()).code).toBe(1);
  expect(await Bun.file(file).exists()).toBe(false);
});

test.concurrent("--strict lets through what fits, and what cannot be checked", async () => {
  const good = '{"content":[],"structuredContent":{"n":1}}';
  expectRun(await call(good, "--strict").run(), { stdout: '{"n":1}\n' });
  const odd = JSON.stringify({ $schema: "https://example.com/mine" });
  const run = await mcphost("call", "out", "--strict", "--", ...program, odd, good).run();
  expectRun(run, { stdout: '{"n":1}\n', stderr: /not checked/ });
});

test.concurrent("--strict without the schema makes no sense", async () => {
  const run = await call(wrong, "--strict", "--no-validate").run();
  expectRun(run, { code: 2, stderr: /--strict needs the tool's schema/ });
});
