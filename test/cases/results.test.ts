/** Reported faults of content: kinds that nobody knows, and blocks that are valid and rare. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { png } from "../fixtures/cases/results.ts";
import { expectRun, tempDir } from "../harness.ts";
import { entry, hostOver } from "./kit.ts";
import { answered } from "./results-kit.ts";

setDefaultTimeout(60_000);

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
