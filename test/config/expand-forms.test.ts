/** Every form of expansion, wherever it stands. */
import { expect, test } from "bun:test";

import { expandServer } from "../../lib/config/expand.ts";
import { context, http, stdio } from "./expand-kit.ts";

const texts: [text: string, expanded: string][] = [
  ["${A}", "1"],
  ["a${A}b${A}", "a1b1"],
  ["${A:-dflt}", "1"],
  ["${UNSET:-dflt}", "dflt"],
  ["${UNSET:-}", ""],
  ["${EMPTY}", ""],
  ["${EMPTY:-dflt}", "dflt"],
  ["${UNSET:-a b/c:-d}", "a b/c:-d"],
  ["${env:A}", "1"],
  ["${env:odd-name}", "odd"],
  ["${env:UNSET:-x}", "x"],
  ["${A:-${UNSET}}", "1"],
  ["${UNSET:-${A}}", "1"],
  ["${UNSET:-${UNSET:-${A}}}", "1"],
  ["${env:UNSET:-a${A}b}c", "a1bc"],
  ["${UNSET:-${NESTED}}", "${A}"],
  ["${UNSET:-$${A}}", "${A}"],
  ["${UNSET:-${userHome}/x}", "/home/me/x"],
  ["${UNSET:-a$b}", "a$b"],
  ["$env:A/b", "1/b"],
  ["{env:A}", "1"],
  ["${env://A}", "1"],
  ["${env://UNSET:-x}", "x"],
  ["${env://}", "${env://}"],
  ["x{env:A}y", "x1y"],
  ["Bearer {file:./token.txt}", "Bearer tok-from-file"],
  ["{file:~/t}", "home file"],
  ["${secret:ci}", "ci-secret"],
  ["${secret:git-hub}", "github-secret"],
  ["${{ secrets.ci }} and ${{secrets.GIT_HUB}}", "ci-secret and github-secret"],
  ["${input:given}", "given-value"],
  ["${input:key}", "input-key"],
  ["${input:fallback}", "dflt"],
  ["${file:token.txt}", "tok-from-file"],
  ["${file:~/t}", "home file"],
  ["${workspaceFolder}/x", "/work/project/x"],
  ["${workspaceFolderBasename}", "project"],
  ["${cwd}/x", "/work/project/x"],
  ["${userHome}", "/home/me"],
  ["${configDir}/s.js", "/conf/s.js"],
  ["a${pathSeparator}b${/}c", "a/b/c"],
  ["~/x", "/home/me/x"],
  ["~", "/home/me"],
  ["~user/x", "~user/x"],
  ["a~/x", "a~/x"],
  ["$${A}", "${A}"],
  ["$${env:A}", "${env:A}"],
  ["${NESTED}", "${A}"],
  [
    "$A $$ $ $1 %A% ${} ${1} ${A%x} ${#A} ${a b} ${command:x}",
    "$A $$ $ $1 %A% ${} ${1} ${A%x} ${#A} ${a b} ${command:x}",
  ],
  ["${A}} a}b {A}", "1} a}b {A}"],
  ["${A", "${A"],
  ["${UNSET:-{env:A}}", "1"],
  ["${UNSET:-${A}", "${UNSET:-1"],
  [nested(8), "1"],
  [nested(9), `\${UNSET:-1}`],
];

/** A form in that many forms. */
function nested(levels: number): string {
  return `${"${UNSET:-".repeat(levels - 1)}\${A}${"}".repeat(levels - 1)}`;
}

test.each(texts)("%s becomes %s, wherever it stands", async (text, expanded) => {
  const { server } = await expandServer(
    stdio({ command: text, args: ["-", text], env: { K: text, N: null }, roots: [text] }),
    context(),
  );
  expect(server).toMatchObject({
    command: expanded,
    args: ["-", expanded],
    env: { K: expanded, N: null },
    roots: [expanded],
  });
  const other = await expandServer(
    http({ url: "https://h/${A}", headers: { H: text } }),
    context(),
  );
  expect(other.server).toMatchObject({ url: "https://h/1", headers: { H: expanded } });
});

// By a look through the whole for each that is begun, one of these would take minutes.
test.each(["${A:-", "${A:-${A}", "${env:", "{env:", "${command:"])(
  "a megabyte of %s is looked through once",
  async (form) => {
    const text = form.repeat(1_048_576 / form.length);
    const { server } = await expandServer(stdio({ args: [text] }), context());
    expect(server).toMatchObject({ args: [text.replaceAll("${A}", "1")] });
  },
);
