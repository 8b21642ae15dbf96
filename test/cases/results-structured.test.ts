/** Reported faults of structured content of any kind, of errors, and of results that are empty. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { entry, hostOver } from "./kit.ts";
import { answered, promised } from "./results-kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("B088 an error promises no structure", () => {
  test.each([
    '{"isError":true,"content":[{"type":"text","text":"the real reason"}]}',
    '{"isError":true,"content":[{"type":"text","text":"the real reason"}],"structuredContent":{"error":"x"}}',
    '{"isError":true,"content":[{"type":"text","text":"the real reason"}],"structuredContent":null}',
  ])("%s: its text, exit 1, and no word of the schema", async (result) => {
    expectRun(await promised(result).run(), { code: 1, stderr: "the real reason\n" });
    const json = await promised(result, "--json").run();
    expectRun(json, { code: 1, stdout: `${result}\n`, stderr: /"code":"tool_error"/ });
  });

  test.each(['"true"', "1", '"TRUE"', '{"code":1}'])("isError %s means one", async (isError) => {
    const result = `{"isError":${isError},"content":[{"type":"text","text":"the real reason"}]}`;
    expectRun(await promised(result).run(), { code: 1, stderr: "the real reason\n" });
    const json = await promised(result, "--json").run();
    expectRun(json, { code: 1, stdout: `${result}\n`, stderr: /"code":"tool_error"/ });
  });

  test.each(["null", '"false"', "0", '""'])("isError %s means none", async (isError) => {
    const result = `{"isError":${isError},"content":[{"type":"text","text":"fine"}]}`;
    expectRun(await answered(result).run(), { stdout: "fine\n" });
  });

  test("an error that says nothing in words still says something", async () => {
    for (const result of ['{"isError":true}', '{"isError":true,"content":[]}'])
      expectRun(await promised(result).run(), { code: 1, stderr: /answered with an error/ });
    const run = await promised(
      '{"isError":true,"content":[],"structuredContent":{"error":"why"}}',
    ).run();
    expectRun(run, { code: 1, stderr: /why/ });
  });
});

describe.concurrent("B089 structured content of any kind", () => {
  const values = [
    "[1,2]",
    '"x"',
    "0",
    "false",
    "null",
    '""',
    "{}",
    "[]",
    "1.50",
    "12345678901234567890",
    '{"a":[1,{"b":null}]}',
  ];
  const contents = ['"content":[],', "", '"content":null,'];

  test.each(values)("%s is passed through, with and without content", async (value) => {
    for (const content of contents) {
      const result = `{${content}"structuredContent":${value}}`;
      expectRun(await answered(result).run(), { stdout: `${value}\n` });
      expectRun(await answered(result, "--json").run(), { stdout: `${result}\n` });
    }
    await using host = await hostOver({
      s: entry("results.literal", {}, `{"content":[],"structuredContent":${value}}`),
    });
    const outcome = await host.call({ tool: "fault" });
    expect(outcome).toMatchObject({
      status: "completed",
      raw: `{"content":[],"structuredContent":${value}}`,
    });
    expect(Object.keys((outcome as { result: object }).result)).toContain("structuredContent");
  });

  test.each(values)("%s does no harm where another shape was promised", async (value) => {
    const run = await promised(
      `{"content":[{"type":"text","text":"right"}],"structuredContent":${value}}`,
    ).run();
    expectRun(run, { stdout: "right\n", stderr: /does not fit its outputSchema/ });
  });
});

describe.concurrent("O020 empty results are good ones", () => {
  test.each([
    '{"content":[]}',
    '{"content":[{"type":"text","text":""}]}',
    "{}",
    '{"content":null}',
  ])("%s", async (result) => {
    expectRun(await answered(result).run(), { stdout: "" });
    expectRun(await answered(result, "--json").run(), { stdout: `${result}\n` });
    await using dir = await tempDir();
    expectRun(await answered(result, "-o", dir.file("out")).run(), {});
    expect(await Bun.file(dir.file("out")).text()).toBe("");
  });
});
