/** Every form of expansion, where it applies, and what is said where a value is missing. */
import { expect, test } from "bun:test";

import { expandServer } from "../../lib/config/expand.ts";
import { readValue } from "../../lib/config/files.ts";
import type { Origin } from "../../lib/config/origin.ts";
import type { HttpServer, StdioServer } from "../../lib/config/types.ts";
import type { ExpandContext } from "../../lib/config/values.ts";
import { errorOf, folderWith } from "./kit.ts";

const origin: Origin = { file: "/conf/servers.json", label: "servers.json", kind: "named" };

function stdio(fields: Partial<StdioServer> = {}): StdioServer {
  return {
    name: "s",
    origin,
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    kind: "stdio",
    command: "c",
    args: [],
    env: {},
    ...fields,
  };
}

function http(fields: Partial<HttpServer> = {}): HttpServer {
  return {
    name: "h",
    origin,
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    kind: "http",
    transport: "auto",
    url: "https://h/mcp",
    headers: {},
    ...fields,
  };
}

function context(more: Partial<ExpandContext> = {}): ExpandContext {
  const files = new Map([
    ["/conf/token.txt", "tok-from-file\n"],
    ["/home/me/t", "home file"],
    ["/conf/.env", "A=from file\nexport B='b # no comment' # comment\n"],
  ]);
  return {
    env: {
      A: "1",
      EMPTY: "",
      NESTED: "${A}",
      "odd-name": "odd",
      MCPHOST_SECRET_ci: "ci-secret",
      MCPHOST_SECRET_GIT_HUB: "github-secret",
      MCPHOST_INPUT_KEY: "input-key",
    },
    cwd: "/work/project",
    home: "/home/me",
    given: new Map([["given", "given-value"]]),
    inputs: { fallback: { default: "dflt" }, open: { password: false } },
    readFile: (path) => Promise.resolve(files.get(path)),
    ...more,
  };
}

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
];

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

const missing: [text: string, message: string, hint: string | undefined][] = [
  [
    "${EMPTY:-${UNSET}}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "${UNSET}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "${env:UNSET}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "$env:UNSET",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "{env:UNSET}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "${toString}",
    "the environment variable toString is not set",
    "set toString, or write ${toString:-default}",
  ],
  ["${secret:no-such}", "the secret no-such is not there", "set MCPHOST_SECRET_NO_SUCH"],
  [
    "${input:no-such}",
    "the input no-such has no value",
    "give --input no-such=VALUE, or set MCPHOST_INPUT_NO_SUCH",
  ],
  ["${file:none}", "there is no file /conf/none", undefined],
  ["{file:none}", "there is no file /conf/none", undefined],
  [
    "${fileDirname}/x",
    "${fileDirname} is known in an editor alone",
    "write what it is to mean here, or set the environment variable fileDirname",
  ],
];

test.each(missing)("%s names server, field and variable", async (text, message, hint) => {
  const error = await errorOf(() => expandServer(stdio({ args: ["x", text] }), context()));
  expect(error.code).toBe("config");
  expect(error.message).toBe(`server "s": args[1]: ${message}`);
  expect(error.hint).toBe(hint);
  expect(error.facts).toMatchObject({ server: "s", field: "args[1]", file: "/conf/servers.json" });
  expect(error.facts.variable).toBeString();
});

test("says where the home folder is needed and unknown", async () => {
  const error = await errorOf(() =>
    expandServer(stdio({ env: { P: "~/x" } }), context({ home: undefined })),
  );
  expect([error.message, error.hint]).toEqual([
    `server "s": env.P: nothing says where the home folder is`,
    "set HOME",
  ]);
});

test("asks for an input that nothing else answers, and prefers what was given", async () => {
  const asked: string[] = [];
  const ask = (id: string) => {
    asked.push(id);
    return Promise.resolve(id === "never" ? undefined : `asked ${id}`);
  };
  const { server } = await expandServer(
    stdio({ args: ["${input:one}", "${input:given}", "${input:fallback}"] }),
    context({ ask }),
  );
  expect(server.args).toEqual(["asked one", "given-value", "asked fallback"]);
  expect(asked).toEqual(["one", "fallback"]);
  expect(
    (await errorOf(() => expandServer(stdio({ args: ["${input:never}"] }), context({ ask })))).code,
  ).toBe("config");
});

test("merges envFile, env and what flags gave, in this order, and expands only env", async () => {
  const given = { C: "${A}", A: "flag" };
  const { server } = await expandServer(
    stdio({ envFile: "${configDir}/.env", env: { A: "${A}", C: "c", D: null }, givenEnv: given }),
    context(),
  );
  expect(server.env).toEqual({ A: "flag", B: "b # no comment", C: "${A}", D: null });
  expect("envFile" in server || "givenEnv" in server || "literal" in server).toBe(false);
});

test("leaves literal words alone", async () => {
  const words = { command: "~/c", args: ["${A}", "$env:UNSET"], literal: true };
  const { server } = await expandServer(stdio({ ...words, env: { K: "${A}" } }), context());
  expect(server).toMatchObject({ command: "~/c", args: ["${A}", "$env:UNSET"], env: { K: "1" } });
});

const cwdOf = async (server: StdioServer) => (await expandServer(server, context())).server.cwd;

test("sees a relative cwd from the config's folder; what was found runs in its own", async () => {
  const found: Origin = { file: "/proj/.mcp.json", label: ".mcp.json", kind: "found" };
  expect(await cwdOf(stdio({ cwd: "../w" }))).toBe("/w");
  expect(await cwdOf(stdio({ cwd: "${workspaceFolder}/s" }))).toBe("/work/project/s");
  expect(await cwdOf(stdio())).toBeUndefined();
  expect(await cwdOf(stdio({ origin: found }))).toBe("/proj");
  expect(await cwdOf(stdio({ origin: found, cwd: "${workspaceFolder}/s" }))).toBe("/proj/s");
});

test("refuses what cannot be handed on", async () => {
  const nul = context({ env: { NUL: "a\0b", LINES: "a\r\nb: c" } });
  expect((await errorOf(() => expandServer(stdio({ env: { K: "${NUL}" } }), nul))).message).toBe(
    `server "s": env.K: a NUL character cannot be handed on`,
  );
  expect(
    (await errorOf(() => expandServer(http({ headers: { K: "${LINES}" } }), nul))).message,
  ).toBe(
    `server "h": headers.K: a header holds no line end, no other control character, and nothing beyond Latin-1`,
  );
  expect((await errorOf(() => expandServer(http({ url: "ftp://x" }), nul))).message).toStartWith(
    `server "h": url: `,
  );
});

test("reads real files, and says which cannot be read", async () => {
  const large = "x".repeat(1024 * 1024 + 1);
  await using folder = await folderWith({ token: "t0k3n\r\n", "dir/x": "", large });
  const of = (text: string) =>
    expandServer(
      stdio({ args: [text], origin: { ...origin, file: folder.file("c.json") } }),
      context({ readFile: readValue }),
    );
  expect((await of("${file:token}")).server.args).toEqual(["t0k3n"]);
  const refusals = {
    dir: "cannot be read: it is a directory, not a file",
    "/dev/zero": "cannot be read: it is a device, not a file",
    large: "is larger than 1048576 bytes",
  };
  for (const [name, why] of Object.entries(refusals))
    expect((await errorOf(() => of(`\${file:${name}}`))).message).toContain(why);
});

test("collects what must not be shown", async () => {
  const { secrets } = await expandServer(
    stdio({
      args: [
        "-e",
        "TOKEN=s3cr3t-3",
        "${secret:ci}",
        "--key=abcdefghij0123456789",
        "--header",
        "X-Key: Bearer s3cr3t-9",
      ],
      env: {
        KEY: "s3cr3t-1",
        DB: "postgres://u:s3cr3t-2@db/x",
        HOME: "/home/me",
        MODE: "production",
        N: "1",
      },
    }),
    context(),
  );
  for (const secret of [
    "s3cr3t-1",
    "s3cr3t-2",
    "s3cr3t-3",
    "s3cr3t-9",
    "ci-secret",
    "abcdefghij0123456789",
  ])
    expect(secrets()).toContain(secret);
  for (const open of ["/home/me", "production", "1"]) expect(secrets()).not.toContain(open);
  const other = await expandServer(
    http({
      url: "http://u:s3cr3t-5@127.0.0.1/mcp?key=s3cr3t-6&q=p%40ssw0rd",
      headers: { Authorization: "Bearer s3cr3t-4", Accept: "application/json" },
    }),
    context(),
  );
  for (const secret of ["s3cr3t-4", "s3cr3t-5", "s3cr3t-6", "p@ssw0rd", "p%40ssw0rd"])
    expect(other.secrets()).toContain(secret);
  expect(other.secrets()).not.toContain("application/json");
});
