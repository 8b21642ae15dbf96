/** Dotenv files: what is read of them, and which line is wrong. */
import { expect, test } from "bun:test";

import { parseEnvFile } from "../../lib/config/env-file.ts";
import { errorOf } from "./kit.ts";

const dotenv = `\uFEFF# comment
A=1
  export B = two words   # comment
C='single \\n # kept'
D="double\\n\\"x\\" \\\\ $HOME # kept" # comment
E="over
lines"
F=
G=a#b
H=\`back "quoted"\`\r
I.dotted-name=x
A=2
LAST=no newline`;

test("reads dotenv files", () => {
  expect(parseEnvFile(dotenv, ".env")).toEqual({
    A: "2",
    B: "two words",
    C: "single \\n # kept",
    D: 'double\n"x" \\ $HOME # kept',
    E: "over\nlines",
    F: "",
    G: "a#b",
    H: 'back "quoted"',
    "I.dotted-name": "x",
    LAST: "no newline",
  });
});

test.each([
  ["A=1\n\nno assignment\n", 3],
  [`A="open\n`, 1],
  [`A="x" y`, 1],
])("says which dotenv line is wrong: %j", async (text, line) => {
  const error = await errorOf(() => parseEnvFile(text, ".env"));
  expect([error.code, error.facts.line]).toEqual(["config", line]);
});
