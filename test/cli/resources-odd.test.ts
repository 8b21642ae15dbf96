/** What is odd in resources and prompts: several contents, control characters, URIs that are none, and silence. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root } from "../harness.ts";

setDefaultTimeout(30_000);

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

  test("a message of a prompt that is a text alone is printed as one", async () => {
    expectRun(await mcphost("prompt", "texts", "--", ...odd).run(), {
      stdout: "user:\none\ntwo\n\nassistant:\n",
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
