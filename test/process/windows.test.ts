import { describe, expect, test } from "bun:test";

import {
  isBatch,
  isUnfitForBatch,
  quoteArgument,
  quoteBatchArgument,
  windowsCandidates,
  windowsCommand,
} from "../../lib/process/windows.ts";

test.each([
  ["plain", "plain"],
  ["", '""'],
  ["two words", '"two words"'],
  ["tab\there", '"tab\there"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['a\\"b', '"a\\\\\\"b"'],
  ["C:\\dir\\", "C:\\dir\\"],
  ["C:\\my dir\\", '"C:\\my dir\\\\"'],
  ["C:\\my dir\\\\", '"C:\\my dir\\\\\\\\"'],
  ["a\\b c", '"a\\b c"'],
  ["&^%!", "&^%!"],
])("argument %p is written %p", (argument, wanted) => {
  expect(quoteArgument(argument)).toBe(wanted);
});

test.each([
  ["plain", '"plain"'],
  ["", '""'],
  ["a & b", '"a & b"'],
  ["a^b!c", '"a^b!c"'],
  ["100%", '"100%%cd:~,%"'],
  ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
  ['x" & calc "', '"x"" & calc """'],
  ['a\\"b', '"a\\\\""b"'],
  ["C:\\dir\\", '"C:\\dir\\\\"'],
])("argument %p of a batch file is written %p", (argument, wanted) => {
  expect(quoteBatchArgument(argument)).toBe(wanted);
});

describe("command lines", () => {
  test("a program is started as it is", () => {
    expect(windowsCommand("C:\\node.exe", ["a b", ""], "cmd.exe")).toEqual({
      file: "C:\\node.exe",
      args: ['"a b"', '""'],
    });
  });

  test("a shim is started by cmd.exe, its arguments kept from being commands", () => {
    const { file, args } = windowsCommand(
      "C:\\Program Files\\npx.cmd",
      ["-y", "a&b"],
      "C:\\cmd.exe",
    );
    expect(file).toBe("C:\\cmd.exe");
    expect(args.join(" ")).toBe('/d /e:on /v:off /s /c ""C:\\Program Files\\npx.cmd" "-y" "a&b""');
  });

  test("what is a batch file, also behind dots and spaces that Windows ignores; what none can be given", () => {
    expect(["a.CMD", "a.bat", "a.bat . .", "a.exe", "cmd", "a.cmd.js"].map(isBatch)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(["a\nb", "a\rb", "a b"].map(isUnfitForBatch)).toEqual([true, true, false]);
  });
});

describe("where a command is looked for", () => {
  const lookup = { path: 'C:\\bin\\;;"D:\\my tools"', pathExt: ".EXE;.CMD", cwd: "C:\\work" };

  test("every folder of PATH in turn, with PATHEXT in its order; the current folder is none of them", () => {
    expect(windowsCandidates("npx", lookup)).toEqual([
      "C:\\bin\\npx.EXE",
      "C:\\bin\\npx.CMD",
      "D:\\my tools\\npx.EXE",
      "D:\\my tools\\npx.CMD",
    ]);
  });

  test("a known extension is tried as it is first; an unknown one is part of the name", () => {
    expect(windowsCandidates("node.exe", { ...lookup, path: "C:\\bin" })[0]).toBe(
      "C:\\bin\\node.exe",
    );
    expect(windowsCandidates("tool-1.2", { ...lookup, path: "C:\\bin" })[0]).toBe(
      "C:\\bin\\tool-1.2.EXE",
    );
  });

  test("a path is not looked for; a relative one starts at the server's folder", () => {
    expect(windowsCandidates(".\\srv\\run.cmd", lookup)[0]).toBe("C:\\work\\.\\srv\\run.cmd");
    expect(windowsCandidates("C:/srv/run.exe", lookup)[0]).toBe("C:/srv/run.exe");
    expect(windowsCandidates("x", { ...lookup, path: "C:\\b", pathExt: undefined })).toHaveLength(
      4,
    );
  });
});
