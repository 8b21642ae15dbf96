/** Reported faults of how arguments are typed, and of what then reaches the server. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { call, entry, hostOver, messagesIn, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B001 objects and arrays are parsed by the schema, texts stay texts", () => {
  test.each<[word: string, sent: string]>([
    [
      'target={"id":1,"deep":{"a":[1,{"b":null}]}}',
      '{"target":{"id":1,"deep":{"a":[1,{"b":null}]}}}',
    ],
    ['to=["a","b"]', '{"to":["a","b"]}'],
    ["to=[]", '{"to":[]}'],
    ['either={"id":7}', '{"either":{"id":7}}'],
    ["either=plain text", '{"either":"plain text"}'],
    ["either={not json", '{"either":"{not json"}'],
    ["either=12", '{"either":"12"}'],
    ["one=[1,2]", '{"one":[1,2]}'],
    ["one=null", '{"one":null}'],
    ['ref={"id":2}', '{"ref":{"id":2}}'],
    ['all={"id":3}', '{"all":{"id":3}}'],
    ['many={"id":4}', '{"many":{"id":4}}'],
    ["many=null", '{"many":null}'],
    ['pin={"a":1}', '{"pin":"{\\"a\\":1}"}'],
    ["pin=[1]", '{"pin":"[1]"}'],
    ["flag=true", '{"flag":true}'],
    ["n=1.5", '{"n":1.5}'],
    // Without a type it is a text; := is the way to say anything else.
    ['untyped={"a":1}', '{"untyped":{"a":1}}'],
    ["untyped=[1", '{"untyped":"[1"}'],
    ['untyped:={"a":1}', '{"untyped":{"a":1}}'],
  ])("%s", async (word, sent) => {
    expectRun(await call("args.typed", "args", word).run(), { stdout: `${sent}\n` });
  });

  test("what the schema does not name is a text but for objects and arrays, and warned of", async () => {
    expectRun(await call("args.typed", "args", 'nowhere=["x"]', "other=1").run(), {
      stdout: '{"nowhere":["x"],"other":"1"}\n',
      stderr: /names no argument "nowhere"/,
    });
  });

  test("the full JSON ways are exact: --args, a word, stdin, a key of stdin, a file", async () => {
    await using dir = await tempDir();
    const all = '{"target":{"id":1},"to":["a"],"untyped":{"x":[]},"pin":"{}","n":1.0}';
    await Bun.write(dir.file("all.json"), all);
    await Bun.write(dir.file("target.json"), '{"id": 1}');
    const ways = [
      call("args.typed", "args", "--args", all),
      call("args.typed", "args", all),
      call("args.typed", "args", "-").stdin(all),
    ];
    for (const way of ways) {
      const { stdout, code } = await way.run();
      expect({ code, sent: JSON.parse(stdout) }).toEqual({ code: 0, sent: JSON.parse(all) });
    }
    const one = { stdout: '{"target":{"id":1}}\n' };
    expectRun(await call("args.typed", "args", "target:=@target.json").cwd(dir.path).run(), one);
    expectRun(await call("args.typed", "args", "target:=@-").stdin('{"id":1}').run(), one);
  });

  test.each(["target=text", "target=[1]", "to={}", 'ref="x"', "flag=1", "n=abc", "whole=1.5"])(
    "%s does not fit, and is refused",
    async (word) => {
      const key = word.split("=")[0];
      const stderr = new RegExp(`argument ${key}: expected`);
      expectRun(await call("args.typed", "args", word).run(), { code: 2, stderr });
    },
  );
});

describe.concurrent("B002 no value loses anything", () => {
  test.each<[word: string, sent: string]>([
    ...[
      "000123",
      "007",
      "1e3",
      "0x10",
      "+4912345",
      "true",
      "null",
      "12345678901234567890",
      "",
      " ",
    ].map((value): [string, string] => [`pin=${value}`, JSON.stringify({ pin: value })]),
    ["word=null", '{"word":"null"}'],
    ["n=12", '{"n":12}'],
    ["n=1e3", '{"n":1000}'],
    ["n=0.1", '{"n":0.1}'],
    ["n=12345678901234567890", '{"n":12345678901234567890}'],
    ["whole=12345678901234567890", '{"whole":12345678901234567890}'],
    ["whole=-9007199254740993", '{"whole":-9007199254740993}'],
    ["maybe=null", '{"maybe":null}'],
    ["untyped=007", '{"untyped":"007"}'],
    ["untyped=12345678901234567890", '{"untyped":"12345678901234567890"}'],
    ["n=0.12345678901234567890123", '{"n":0.12345678901234567890123}'],
    ["untyped:=1e400", '{"untyped":1e400}'],
    ["untyped:=12345678901234567890", '{"untyped":12345678901234567890}'],
  ])("%s", async (word, sent) => {
    expectRun(await call("args.typed", "args", word).run(), { stdout: `${sent}\n` });
  });

  test.each(["n=0x10", "n=+4912345", "whole=007", "n=NaN", "n=1e999", "flag=null", "n="])(
    "%s is no JSON of that type, and is refused rather than guessed",
    async (word) => {
      expectRun(await call("args.typed", "args", word).run(), { code: 2, stderr: /expected/ });
    },
  );

  test("without a schema everything but an object or array is a text", async () => {
    const run = await call("args.typed", "untyped", "a=007", "b=true", "c={}", "d=1").run();
    expectRun(run, { stdout: '{"a":"007","b":"true","c":{},"d":"1"}\n' });
  });

  test("the repro: pin=000123 n=12 big=12345678901234567890", async () => {
    const words = ["pin=000123", "n=12", "whole=12345678901234567890"];
    expectRun(await call("args.typed", "args", ...words).run(), {
      stdout: '{"pin":"000123","n":12,"whole":12345678901234567890}\n',
    });
    const json = '{"whole":12345678901234567890,"n":123456789012345678901234567890.5}';
    for (const run of [
      await call("args.typed", "args", json).run(),
      await call("args.typed", "args", "-").stdin(json).run(),
      await call("args.typed", "args", "--args", json).run(),
    ])
      expect(run.stdout).toContain('"whole":12345678901234567890');
  });
});

describe.concurrent("B110 arguments are always an object", () => {
  test.each([[], ["--no-validate"], ["--args", "{}"], ["{}"], ["--json"]])(
    "by the command line: %p",
    async (...words) => {
      const run = await call("args.strict", "fault", ...words).run();
      expect(run).toMatchObject({ code: 0 });
      expect(run.stdout).toContain("{}");
    },
  );

  test("by the module, and every request has params that are an object", async () => {
    await using dir = await tempDir();
    const seen = dir.file("seen");
    await using host = await hostOver({ s: entry("args.strict", { env: { FIXTURE_SEEN: seen } }) });
    const none: Record<string, never>[] = [undefined as never, {}];
    for (const given of none)
      expect(textOf(await host.call({ tool: "fault", ...(given && { arguments: given }) }))).toBe(
        "{}",
      );
    for (const validate of [true, false])
      expect(textOf(await host.call({ tool: "fault", validate }))).toBe("{}");
    for (const { method, params } of await messagesIn(seen))
      if (method !== "notifications/initialized")
        expect({ method, params }).toEqual({ method, params: expect.any(Object) });
  });
});
