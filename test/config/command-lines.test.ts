/** Command lines in one word are split as sh does, and nothing in them is expanded. */
import { expect, test } from "bun:test";

import { parseCommandLine } from "../../lib/config/shell-words.ts";
import { errorOf } from "./kit.ts";

const lines = [
  `a 'b c' "d e"`,
  `a '' ""`,
  `a\\ b c`,
  `"a\\"b" '\\n'`,
  `a"b"'c'd`,
  `"a\\xb" "\\$X" "\\\`" "\\\\"`,
  "a \\\n b",
  "a\\\nb",
  `a\tb  c`,
  `'a=1' b`,
  `"a\\\nb"`,
  `x 'it'\\''s'`,
  `--x="1 2"`,
  `a=b`,
  `é 日本`,
  `\\a\\'\\"`,
  "",
];

test.each(lines)("splits %j as sh does", async (line) => {
  const { env, words } = parseCommandLine(`cmd ${line}`);
  const child = Bun.spawn(
    ["sh", "-c", `for word do printf '%s\\0' "$word"; done`, "sh", ...words],
    { stdout: "pipe" },
  );
  const shell = Bun.spawn(
    ["sh", "-c", `set -- cmd ${line}\nfor word do printf '%s\\0' "$word"; done`],
    { stdout: "pipe" },
  );
  expect(await child.stdout.text()).toBe(await shell.stdout.text());
  expect(env).toEqual({});
});

test("expands nothing", () => {
  const line = "$HOME ${X} *.ts a;b #c d#e `ls` ~/x {a,b} $(id) !x http://x/?a=1&b=2";
  expect(parseCommandLine(line).words).toEqual(line.split(" "));
});

test("takes assignments in front as environment, as sh does", () => {
  expect(parseCommandLine(`A=1 B="x y" C= cmd D=4`)).toEqual({
    env: { A: "1", B: "x y", C: "" },
    words: ["cmd", "D=4"],
  });
  expect(parseCommandLine(`'A=1' cmd`)).toEqual({ env: {}, words: ["A=1", "cmd"] });
  expect(parseCommandLine(`__proto__=1 cmd`).env).toEqual(
    Object.assign(Object.create(null), { ["__proto__"]: "1" }),
  );
});

test.each([`a 'b`, `a "b`, `a \\`, "a | b", "a && b", "a > f", "a ; b"])(
  "refuses %j",
  async (line) => {
    expect((await errorOf(() => parseCommandLine(line))).code).toBe("usage");
  },
);

test("takes a quoted operator as a word", () => {
  expect(parseCommandLine(`jq '|' "&&"`).words).toEqual(["jq", "|", "&&"]);
});
