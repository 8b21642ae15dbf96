/** Where expansion applies: environment, folders, files, and what must not be shown of it. */
import { expect, test } from "bun:test";

import { expandServer } from "../../lib/config/expand.ts";
import { readValue } from "../../lib/config/files.ts";
import type { Origin } from "../../lib/config/origin.ts";
import type { StdioServer } from "../../lib/config/types.ts";
import { context, http, origin, stdio } from "./expand-kit.ts";
import { errorOf, folderWith } from "./kit.ts";

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
