/** `resources` and `read`: the fixture server of every feature, in both eras, and a real one. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const fixture = (era: string) => [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), era];

const over = (era: string, ...words: string[]) => mcphost(...words, "--", ...fixture(era));

describe.each([["legacy"], ["modern"]])("%s", (era) => {
  test("resources: a line each, templates behind them", async () => {
    expectRun(await over(era, "resources").run(), {
      stdout: `note://one  # Note one (text/plain)
note://two  # Note two (text/plain)
note://three  # Note three (text/plain)
blob://pixel  # (application/octet-stream, 4 bytes)
asks://name  # asks
note://{name}  # A note by its name (template, text/plain)
count://{from}/{to}  # count: Numbers, one a line (template)
`,
    });
  });

  test("resources PATTERN: a glob, an exact name, or a word", async () => {
    const uris = async (pattern: string) => {
      const { stdout } = await over(era, "resources", pattern, "--json").run();
      return (JSON.parse(stdout) as { uri?: string; uriTemplate?: string }[]).map(
        ({ uri, uriTemplate }) => uri ?? uriTemplate,
      );
    };
    expect(await uris("note://t*")).toEqual(["note://two", "note://three"]);
    expect(await uris("one")).toEqual(["note://one"]);
    expect(await uris("NUMBERS")).toEqual(["count://{from}/{to}"]);
    expectRun(await over(era, "resources", "note://thre").run(), {
      code: 0,
      stdout: "note://three  # Note three (text/plain)\n",
    });
    expectRun(await over(era, "resources", "notes://tow").run(), {
      code: 2,
      stderr: /^mcphost: no resource matches "notes:\/\/tow"\n {2}did you mean note:\/\/two/,
    });
  });

  test("read: text exactly as it is, of resources and of templates", async () => {
    expectRun(await over(era, "read", "note://two").run(), { stdout: "second" });
    expectRun(await over(era, "read", "count://3/5").run(), { stdout: "3\n4\n5" });
    expectRun(await over(era, "read", "server/note://two").run(), { stdout: "second" });
  });

  test("read: a template that is not filled in is told as one", async () => {
    expectRun(await over(era, "read", "count://{from}/{to}").run(), {
      code: 1,
      stderr: /\n {2}this is a template: write what you want in place of \{from\}, \{to\}\n$/,
    });
  });

  test("read: a binary goes to a pipe and a file byte for byte", async () => {
    await using dir = await tempDir();
    const piped = await over(era, "read", "blob://pixel").run();
    expect([piped.code, piped.stderr, piped.stdout]).toEqual([0, "", "\0\u0001\u0002\ufffd"]);
    expectRun(await over(era, "read", "blob://pixel", "-o", dir.file("pixel")).run(), {});
    expect(await Bun.file(dir.file("pixel")).bytes()).toEqual(Uint8Array.of(0, 1, 2, 255));
    expectRun(await over(era, "read", "note://one", "-o", dir.file("note")).run(), {});
    expect(await Bun.file(dir.file("note")).text()).toBe("first");
    const saved = await over(era, "read", "blob://pixel", "--save", dir.file("all")).run();
    expectRun(saved, { stderr: /^saved .*\/all\/pixel-1\.bin\n$/ });
  });

  test("read: a terminal is told of a binary, and text ends there", async () => {
    await using blob = await over(era, "read", "blob://pixel").terminal();
    expect(await blob.exited).toBe(0);
    expect(blob.text()).toContain(
      "[binary application/octet-stream blob://pixel, 4 bytes: not shown",
    );
    await using text = await over(era, "read", "note://one").terminal();
    expect(await text.exited).toBe(0);
    expect(Bun.stripANSI(text.text()).endsWith("first\r\n")).toBe(true);
  });

  test("read --json: the result as it came", async () => {
    const { stdout } = await over(era, "read", "blob://pixel", "--json").run();
    expect(stdout).toMatch(/^\{.*"blob":"AAEC\/w=="\}\].*\}\n$/);
    expect(stdout.includes('"resultType":"complete"')).toBe(era === "modern");
  });

  test("read: what is not there is the server's error, with what is near", async () => {
    const code = era === "modern" ? -32602 : -32002;
    expectRun(await over(era, "read", "note://too").run(), {
      code: 1,
      stderr: `mcphost: server "server" answered resources/read of note://too with error ${code}: Resource not found
  data: {"uri":"note://too"}
  did you mean note://two, note://one or note://{name}?
`,
    });
    const run = await over(era, "read", "note://too", "--json").run();
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: "rpc_error",
      server: "server",
      uri: "note://too",
      rpcCode: code,
    });
  });

  test("read: what needs an answer takes it from --elicit", async () => {
    const answer = '{"name":"Ada"}';
    expectRun(await over(era, "read", "asks://name", "--elicit", answer).run(), {
      stdout: '{"action":"accept","content":{"name":"Ada"}}',
    });
  });
});

test("usage errors start no server", async () => {
  await using dir = await tempDir();
  const server = ["--", "sh", "-c", `touch ${dir.file("started")}`];
  for (const [words, stderr] of [
    [["read"], /^mcphost: read takes one URI, and got 0\n/],
    [["read", "a:1", "a:2"], /^mcphost: read takes one URI, and got 2\n/],
    [["read", "a:1", "--json", "-o", "-"], /--json and -o - both want stdout/],
    [["resources", "a", "b"], /^mcphost: resources takes one pattern, and got 2\n/],
    [["resources", "--outptu"], /^mcphost: unknown flag --outptu\n/],
  ] as const)
    expectRun(await mcphost(...words, ...server).run(), { code: 2, stderr });
  expect(await Bun.file(dir.file("started")).exists()).toBe(false);
});

test("a server without resources: nothing, and no question", async () => {
  const server = [...bunAlone, join(root, "test/fixtures/cli/many.ts")];
  const stderr = "mcphost: there are no resources\n";
  expectRun(await mcphost("resources", "--", ...server).run(), { stderr });
  expectRun(await mcphost("resources", "-q", "--", ...server).run(), {});
  expectRun(await mcphost("resources", "--json", "--", ...server).run(), { stdout: "[]\n" });
});

test("server-everything: lists, templates, text and binary", async () => {
  const program = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const real = (...words: string[]) => mcphost(...words, "--", ...bunAlone, program).run();
  const { code, stdout } = await real("resources", "--json");
  expect(code).toBe(0);
  const items = JSON.parse(stdout) as Record<string, unknown>[];
  expect(items.map(({ uriTemplate }) => uriTemplate)).toContain(
    "demo://resource/dynamic/text/{resourceId}",
  );
  const text = await real("read", "demo://resource/dynamic/text/1");
  expectRun(text, { stdout: /^Resource 1: This is a plaintext resource/ });
  const blob = await real("read", "demo://resource/dynamic/blob/1");
  expectRun(blob, { stdout: /^Resource 1: This is a base64 blob/ });
});
