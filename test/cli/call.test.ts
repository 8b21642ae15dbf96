/** Arguments of `call` as they are typed, and as they reach the server. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, root, tempDir } from "../harness.ts";
import { call, manyServer } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("arguments", () => {
  test.each<[words: string[], sent: string]>([
    [[], "{}"],
    [["pin=000123"], '{"pin":"000123"}'],
    [["pin=12345678901234567890"], '{"pin":"12345678901234567890"}'],
    [["pin=true"], '{"pin":"true"}'],
    [["pin={x"], '{"pin":"{x"}'],
    [["pin="], '{"pin":""}'],
    [["pin=@@user"], '{"pin":"@user"}'],
    [["n=12345678901234567890"], '{"n":12345678901234567890}'],
    [["n=-5"], '{"n":-5}'],
    [["flag=false"], '{"flag":false}'],
    [["list=[1,2]"], '{"list":[1,2]}'],
    [['target={"a":{"b":1}}'], '{"target":{"a":{"b":1}}}'],
    [['{"n":12345678901234567890}'], '{"n":12345678901234567890}'],
    [["--args", '{"n":1,"pin":"x"}', "n=2"], '{"n":2,"pin":"x"}'],
    [["n=1", "n=2"], '{"n":2}'],
    [["--json=false", "-q", "pin=x"], '{"pin":"x"}'],
  ])("%p", async (words, sent) => {
    expectRun(await call("args", ...words).run(), { stdout: `${sent}\n` });
  });

  test("files and stdin, and a stdin that is only read when it is named", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("t"), "two\nlines\n");
    const file = await call("args", "pin=@t").cwd(dir.path).run();
    expectRun(file, { stdout: '{"pin":"two\\nlines\\n"}\n' });
    expectRun(await call("args", "pin=@-").stdin("in\n").run(), { stdout: '{"pin":"in\\n"}\n' });
    expectRun(await call("args", "-").stdin('{"n":1}').run(), { stdout: '{"n":1}\n' });
    const loop = `printf 'a\\nb\\nc\\n' | while read x; do "$@" "pin=$x" -- ${manyServer.map((w) => `'${w}'`).join(" ")}; done`;
    const sh = Bun.spawn([
      "sh",
      "-c",
      loop,
      "sh",
      ...bunAlone,
      join(root, "mcphost.ts"),
      "call",
      "args",
    ]);
    expect(await sh.stdout.text()).toBe('{"pin":"a"}\n{"pin":"b"}\n{"pin":"c"}\n');
  });

  test.each<[words: string[], stderr: RegExp]>([
    [["n=abc"], /: args: argument n: expected integer, got "abc"\n/],
    [["flag=yes"], /argument flag: expected boolean/],
    [["color=blue"], /color.*"red"/],
    [["wrong=1"], /wrong/],
    [["hi"], /"hi" is not an argument\n.*key=value.*behind --/],
    [["n:={"], /not JSON/],
    [["pin=@missing-file"], /missing-file/],
  ])("%p is refused before it is sent", async (words, stderr) => {
    expectRun(await call("args", ...words).run(), { code: 2, stderr });
  });

  test("a missing required argument is refused, and --no-validate sends all the same", async () => {
    expectRun(await call("need").run(), { code: 2, stderr: /\bn\b/ });
    expectRun(await call("need", "--no-validate").run(), { stdout: "{}\n" });
    expectRun(await call("need", "n=1", "--no-validate").run(), { stdout: '{"n":"1"}\n' });
  });
});
