/** `resources` and `read`: the fixture server of every feature, in both eras, and a real one. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const fixture = (era: string) => [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), era];
const over = (era: string, ...words: string[]) => mcphost(...words, "--", ...fixture(era));

/** A config of two servers that have the same resources. */
const twins = JSON.stringify({
  mcpServers: Object.fromEntries(
    [
      ["one", "modern"],
      ["two", "legacy"],
    ].map(([name, era]) => {
      const [command, ...args] = fixture(era ?? "");
      return [name, { command, args }];
    }),
  ),
});

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

const both = (...words: string[]) => mcphost(...words, "--config-json", twins).run();

describe("several servers", () => {
  test("are shown with their names, as read takes them", async () => {
    const { code, stdout, stderr } = await both("resources", "note://one");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      "one/note://one  # Note one (text/plain)\ntwo/note://one  # Note one (text/plain)\n",
    );
    expectRun(await both("read", "two/note://one"), { stdout: "first" });
  });

  test("a URI of both is picked from neither", async () => {
    expectRun(await both("read", "note://one"), {
      code: 2,
      stderr: `mcphost: several servers have "note://one"
  say which: one/note://one, two/note://one
`,
    });
    expectRun(await both("read", "count://1/2"), { code: 2, stderr: /several servers have/ });
    expectRun(await both("read", "nothing://here"), {
      code: 2,
      stderr: /^mcphost: no server lists "nothing:\/\/here"\n {2}SERVER\/URI asks one of one, two/,
    });
  });

  test("one that fails is named, and the other's are had: exit 3", async () => {
    const [command, ...args] = fixture("modern");
    const servers = { good: { command, args }, bad: { command: "/nowhere" } };
    const config = JSON.stringify({ mcpServers: servers });
    expectRun(await mcphost("resources", "blob*", "--config-json", config).run(), {
      code: 3,
      stdout: "good/blob://pixel  # (application/octet-stream, 4 bytes)\n",
      stderr: /server "bad"/,
    });
    // What the good one has, it has, whatever the other might.
    expectRun(await mcphost("read", "blob://pixel", "--config-json", config).run(), {
      stdout: /^\0/,
    });
    expectRun(await mcphost("read", "other://x", "--config-json", config).run(), {
      code: 3,
      stderr: /server "bad"/,
    });
  });
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

describe("what is odd", () => {
  const odd = [...bunAlone, join(root, "test/fixtures/cli/odd-resources.ts")];
  const read = (uri: string, ...flags: string[]) =>
    mcphost("read", uri, ...flags, "--", ...odd).run();

  test("several contents: texts one after the other, binaries named beside them", async () => {
    expectRun(await read("a:two"), { stdout: "one\ntwo" });
    expectRun(await read("a:mixed"), {
      stdout: "one\n",
      stderr: "[binary a:mixed, 3 bytes: not shown; -o FILE or --save DIR keeps it]\n",
    });
    expectRun(await read("a:mixed", "--json"), {
      stdout: '{"contents":[{"uri":"a:mixed","text":"one"},{"uri":"a:mixed","blob":"AAAA"}]}\n',
    });
  });

  test("nothing is lost of what is none: it is printed as JSON, and that is said", async () => {
    expectRun(await read("a:none"), {});
    expectRun(await read("a:object"), { stdout: "t" });
    expectRun(await read("a:missing"), { stdout: /^\{"other":1\}$/, stderr: /has no content/ });
    expectRun(await read("a:odd"), { stdout: '{"uri":"a:odd"}\nnull', stderr: /no known kind/ });
    expectRun(await read("a:base64"), {
      code: 8,
      stderr: "mcphost: the blob that the server sent is not base64\n",
    });
  });

  test("control characters are exact in a pipe, and visible on a terminal", async () => {
    expectRun(await read("a:red"), { stdout: "\u001b[31mred" });
    await using screen = await mcphost("read", "a:red", "--", ...odd).terminal();
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain("\\u001b[31mred");
  });

  test("a URI that is none is a JSON string, and makes no line of its own", async () => {
    expectRun(await mcphost("resources", "--", ...odd).run(), {
      stdout: '"a b\\nc"  # spaces\na:ok\n',
    });
  });

  test("silence has an end: of the answer 4, of the list 3, of the command 4", async () => {
    expectRun(await read("a:silent", "--timeout", "300ms"), {
      code: 4,
      stderr: /^mcphost: server "server" did not answer resources\/read within 300 ms\n/,
    });
    const silent = ["--", ...odd, "silent"];
    expectRun(await mcphost("resources", "--timeout", "300ms", ...silent).run(), {
      code: 3,
      stderr: /^mcphost: server "server" did not answer resources\/list within 300 ms\n/,
    });
    expectRun(await mcphost("resources", "--max-time", "2s", ...silent).run(), {
      code: 4,
      stderr: /^mcphost: given up after 2 s .* server "server" was to answer resources\/list\n/,
    });
  });
});
