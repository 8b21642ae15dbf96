/** Reported faults of results: content nobody knows, structured content of any kind, errors, depth. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { png } from "../fixtures/cases/results.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { call, entry, faulty, hostOver, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

/** A call of the tool whose result is exactly this text. */
const answered = (result: string, ...words: string[]) =>
  mcphost("call", "fault", ...words, "--", ...faulty("results.literal", result));
const promised = (result: string, ...words: string[]) =>
  mcphost("call", "fault", ...words, "--", ...faulty("results.literal-with-schema", result));

describe.concurrent("B085 content of an unknown kind", () => {
  const odd = `{"content":[{"type":"json","json":{"a":1}},{"type":"text"},{"type":"application/json","text":"{}"},{"text":"no type"},null,"str",{"type":"text","text":"ok"}]}`;

  test("known blocks are shown, the others as JSON with a note; the call succeeds", async () => {
    expectRun(await answered(odd).run(), {
      stdout:
        '{"type":"json","json":{"a":1}}\n{"type":"text"}\n{"type":"application/json","text":"{}"}\n{"text":"no type"}\nnull\n"str"\nok\n',
      stderr: /^a block of content that is no known kind is printed as JSON\n$/,
    });
  });

  test.each([
    odd,
    '{ "content" : [ {"type":"text","text":"\\u00e9 \\ud83d\\ude00 / \\/","n":1.0,"big":12345678901234567890} ] , "x":1e400 }',
    '{"content":[],"content":[{"type":"text","text":"twice"}],"__proto__":{"a":1},"":0}',
  ])("--json is as it came", async (result) => {
    const run = await answered(result, "--json").run();
    expectRun(run, { stdout: `${result}\n` });
  });
});

describe.concurrent("B086 blocks that are valid and rare", () => {
  const blocks: Record<string, [block: string, stdout: string, stderr: RegExp]> = {
    "a link": ['{"type":"resource_link","uri":"ui://app/1","name":"app"}', "ui://app/1\n", /^$/],
    "a link without a name": ['{"type":"resource_link","uri":"file:///x"}', "file:///x\n", /^$/],
    "a resource with text": [
      '{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}',
      "inside\n",
      /^$/,
    ],
    "a resource with a blob": [
      '{"type":"resource","resource":{"uri":"file:///a","blob":"AAEC","mimeType":"x/y"}}',
      "",
      /^\[binary x\/y file:\/\/\/a, 3 bytes: not shown/,
    ],
    "a resource without a uri": [
      '{"type":"resource","resource":{"text":"no uri"}}',
      "no uri\n",
      /^$/,
    ],
    "a resource of nothing": ['{"type":"resource"}', '{"type":"resource"}\n', /no known kind/],
    audio: [
      '{"type":"audio","data":"AAEC","mimeType":"audio/wav"}',
      "",
      /^\[audio audio\/wav, 3 bytes: not shown/,
    ],
    "a picture behind data:": [
      `{"type":"image","data":"data:image/png;base64,${png}"}`,
      "",
      /^\[image image\/png, 70 bytes: not shown/,
    ],
    "a picture of bad base64": [
      '{"type":"image","data":"&&&","mimeType":"image/png"}',
      "",
      /^\[image image\/png/,
    ],
    "a picture without data": [
      '{"type":"image","mimeType":"image/png"}',
      '{"type":"image","mimeType":"image/png"}\n',
      /no known kind/,
    ],
  };

  test.each(Object.entries(blocks))(
    "%s is delivered, beside the others",
    async (_, [block, stdout, stderr]) => {
      const run = await answered(`{"content":[${block},{"type":"text","text":"ok"}]}`).run();
      expectRun(run, { stdout: `${stdout}ok\n`, stderr });
      const json = await answered(`{"content":[${block}]}`, "--json").run();
      expectRun(json, { stdout: `{"content":[${block}]}\n` });
      const host = await hostOver({ s: entry("results.literal", {}, `{"content":[${block}]}`) });
      expect(await host.call({ tool: "fault" })).toMatchObject({
        status: "completed",
        result: { content: [JSON.parse(block)] },
      });
      await host[Symbol.asyncDispose]();
    },
  );

  test("what is saved are the exact bytes", async () => {
    await using dir = await tempDir();
    const all = `{"content":[{"type":"image","data":"${png}","mimeType":"image/png"},{"type":"image","data":"data:image/png;base64,${png}"},{"type":"audio","data":"AAEC","mimeType":"audio/wav"}]}`;
    const run = await answered(all, "--save", dir.path).run();
    expect(run.code).toBe(0);
    const files = (await Array.fromAsync(new Bun.Glob("*").scan(dir.path))).toSorted();
    expect(files).toHaveLength(3);
    const bytes = await Promise.all(files.map((file) => Bun.file(dir.file(file)).bytes()));
    const picture = Uint8Array.fromBase64(png);
    expect(bytes.map((one) => one.length).toSorted((a, b) => a - b)).toEqual([
      3,
      picture.length,
      picture.length,
    ]);
  });

  test("only the saving fails of bad base64: the call was done", async () => {
    await using dir = await tempDir();
    const bad =
      '{"content":[{"type":"image","data":"&&&","mimeType":"image/png"},{"type":"text","text":"ok"}]}';
    expectRun(await answered(bad, "-o", dir.file("x.png")).run(), { code: 8, stderr: /base64/ });
    expectRun(await answered(bad).run(), { stdout: "ok\n", stderr: /image/ });
  });
});

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
