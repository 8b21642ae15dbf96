import { describe, expect, test } from "bun:test";

import { fetchArguments, readArguments } from "../../lib/cli/arguments.ts";
import { stdinReader } from "../../lib/cli/stdin-reader.ts";
import { fitArguments } from "../../lib/host/arguments.ts";
import { tempDir } from "../harness.ts";

const noIo = { cwd: "/nowhere", readStdin: async () => new Uint8Array() };

const io = (text: string) => ({ ...noIo, readStdin: async () => new TextEncoder().encode(text) });

describe("words", () => {
  test.each<[string, unknown]>([
    ["message=hi", { kind: "text", key: "message", text: "hi" }],
    ["message=", { kind: "text", key: "message", text: "" }],
    ["url=http://x/?a=b", { kind: "text", key: "url", text: "http://x/?a=b" }],
    ["pin=007", { kind: "text", key: "pin", text: "007" }],
    ["a.b[0]=x", { kind: "text", key: "a.b[0]", text: "x" }],
    ["a:b=x", { kind: "text", key: "a:b", text: "x" }],
    ["n:=1", { kind: "json", key: "n", value: 1 }],
    ["n:=null", { kind: "json", key: "n", value: null }],
    ['o:={"a":[1]}', { kind: "json", key: "o", value: { a: [1] } }],
    ["t=@@user", { kind: "text", key: "t", text: "@user" }],
    ["t=a@b", { kind: "text", key: "t", text: "a@b" }],
    ["f=@x.txt", { kind: "file", key: "f", path: "x.txt", json: false }],
    ["f:=@x.json", { kind: "file", key: "f", path: "x.json", json: true }],
    ["f=@-", { kind: "stdin", key: "f", json: false }],
    ["f:=@-", { kind: "stdin", key: "f", json: true }],
    ["-", { kind: "stdin", key: undefined, json: true }],
    ['{"a":1}', { kind: "object", value: { a: 1 } }],
    [' { "a": 1 }', { kind: "object", value: { a: 1 } }],
    ["__proto__=x", { kind: "text", key: "__proto__", text: "x" }],
  ])("%s", (word, part) => {
    expect(readArguments([word])).toEqual([part as never]);
  });

  test("the address of a server is no argument, and the hint names its flag", () => {
    for (const word of ["http://127.0.0.1:3000/mcp", "WSS://example.com"])
      expect(() => readArguments([word])).toThrow(
        expect.objectContaining({
          code: "usage",
          hint: "the address of a server is given by -s URL",
        }),
      );
  });

  test("--args comes first, so that words win over it", () => {
    expect(readArguments(["a=2"], '{"a":1}')).toEqual([
      { kind: "object", value: { a: 1 } },
      { kind: "text", key: "a", text: "2" },
    ]);
  });

  test.each([["hi"], [""], ["=x"], [":=1"], ["n:={"], ["n:=abc"], ["{"], ["[1]"], ["n:="]])(
    "%p is a usage error",
    (word) => {
      expect(() => readArguments([word])).toThrow(expect.objectContaining({ code: "usage" }));
    },
  );

  test.each(["[1]", "1", '"x"', "null", "{"])("--args %s is a usage error", (text) => {
    expect(() => readArguments([], text)).toThrow(expect.objectContaining({ code: "usage" }));
  });

  test("a byte order mark before JSON is no part of it, and stays in a text", async () => {
    const marked = '\uFEFF{"a":1}';
    const read = async (...words: string[]) => fetchArguments(readArguments(words), io(marked));
    expect(readArguments([], marked)).toEqual([{ kind: "object", value: { a: 1 } }]);
    expect(await read("-")).toEqual([{ kind: "object", value: { a: 1 } }]);
    expect(await read("o:=@-")).toEqual([{ kind: "json", key: "o", value: { a: 1 } }]);
    const [text] = await read("o=@-");
    expect(text).toEqual({ kind: "text", key: "o", text: marked });
    const schema = { properties: { o: { type: "object" } } };
    expect(fitArguments([text!], schema)).toEqual({ o: { a: 1 } });
  });

  test("big integers keep their digits", () => {
    expect(JSON.stringify(readArguments(["n:=12345678901234567890"]))).toContain(
      "12345678901234567890",
    );
    expect(JSON.stringify(readArguments(['{"n":12345678901234567890}']))).toContain(
      "12345678901234567890",
    );
  });
});

describe("files and stdin", () => {
  test("the text of a file exactly: its last newline, its byte order mark", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("t"), "\ufeffline\r\n");
    await Bun.write(dir.file("j"), ' {"n": 12345678901234567890}\n');
    const words = ["a=@t", "b:=@j", `c=@${dir.file("t")}`];
    const parts = await fetchArguments(readArguments(words), { ...noIo, cwd: dir.path });
    expect(parts[0]).toEqual({ kind: "text", key: "a", text: "\ufeffline\r\n" });
    expect(JSON.stringify(parts[1])).toContain('{"n":12345678901234567890}');
    expect(parts[2]).toEqual({ kind: "text", key: "c", text: "\ufeffline\r\n" });
  });

  test("stdin for a key, and as the whole object", async () => {
    expect(await fetchArguments(readArguments(["a=@-"]), io("x\n"))).toEqual([
      { kind: "text", key: "a", text: "x\n" },
    ]);
    expect(await fetchArguments(readArguments(["-"]), io('{"a":"x"}'))).toEqual([
      { kind: "object", value: { a: "x" } },
    ]);
  });

  test("stdin is never read unless it is named, and not twice", async () => {
    let reads = 0;
    const readStdin = stdinReader(() => {
      reads++;
      return new Blob(["x"]).stream();
    });
    await fetchArguments(readArguments(["a=1", "b=-"]), { ...noIo, readStdin });
    expect(reads).toBe(0);
    const twice = fetchArguments(readArguments(["a=@-", "b=@-"]), { ...noIo, readStdin });
    expect(twice).rejects.toMatchObject({ code: "usage" });
  });

  test("stdin with nothing in it is said to be empty", async () => {
    const readStdin = stdinReader(() => new Blob(["\n"]).stream());
    expect(fetchArguments(readArguments(["-"]), { ...noIo, readStdin })).rejects.toMatchObject({
      code: "usage",
      hint: "it is empty; {} is an object without arguments",
    });
  });

  test.each([
    ['{"a":1}\n{"a":2}\n', /^a call takes one object, and each line is one: .* read -r line/],
    ["@args.json", /^it begins with "@args\.json"; a file is given as stdin: .* - < FILE$/],
    ["{a: 1}", /^it begins with "\{a: 1\}"; keys and texts have double quotes.* '…'$/],
    ['{"a": 1,}', /^it begins with "[^"\\]*\\"a\\": 1,\}"$/],
  ])("what is most likely wrong with %j on stdin", async (text, hint) => {
    const readStdin = stdinReader(() => new Blob([text]).stream());
    const failing = fetchArguments(readArguments(["-"]), { ...noIo, readStdin });
    expect(await failing.catch((error: unknown) => error)).toMatchObject({
      code: "usage",
      hint: expect.stringMatching(hint),
    });
  });

  test("a device without end is a usage error, one without anything an empty text", async () => {
    const endless = fetchArguments(readArguments(["a=@/dev/zero"]), noIo);
    await expect(endless).rejects.toThrow(/larger than 67108864 bytes/);
    const parts = await fetchArguments(readArguments(["a=@/dev/null"]), noIo);
    expect(parts).toEqual([{ kind: "text", key: "a", text: "" }]);
  });

  test.each([["a=@missing"], ["a=@"], ["a=@."], ["a=@bytes"], ["a:=@text"]])(
    "%s is a usage error that names the file",
    async (word) => {
      await using dir = await tempDir();
      await Bun.write(dir.file("bytes"), new Uint8Array([0xff, 0xfe]));
      await Bun.write(dir.file("text"), "not JSON");
      const failing = fetchArguments(readArguments([word]), { ...noIo, cwd: dir.path });
      await expect(failing).rejects.toMatchObject({ code: "usage" });
      await expect(failing).rejects.toThrow(word.split("@")[1] ?? "");
    },
  );
});
