/** A plugin that is edited while `serve` runs: taken up between calls, its tools and all; one that is wrong changes nothing. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, root, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { modernInit } from "./gateway-kit.ts";
import { serveProgram } from "./program-kit.ts";

setDefaultTimeout(30_000);

const echo = ["--", ...bunAlone, join(root, "examples/echo.ts")];

/** Denies one tool, and brings another, which waits for a file where it is told to. */
const plugin = (word: string, denied: string) => `
export default {
  name: "p",
  setup: () => () => console.log("cleaned ${word}"),
  hooks: {
    beforeCall: ({ tool }) => (tool === "${denied}" ? { deny: "${word}" } : undefined),
    listTools: (tools) => tools.filter(({ tool }) => tool !== "${word}"),
  },
  tools: {
    ${word}: { description: "", input: {}, run: () => "${word}" },
    wait: {
      description: "",
      input: {},
      async run({ file }) {
        while (!(await Bun.file(file).exists())) await Bun.sleep(10);
        return "${word}";
      },
    },
  },
};`;

test("arguments that do not fit are told with plugins and questions as without", async () => {
  await using dir = await tempDir();
  const file = dir.file("p.ts");
  await Bun.write(file, `export default { name: "p", hooks: { beforeCall() {} } };`);
  for (const flags of [[], ["--plugin", file], ["--ask-tool", "add"]]) {
    await using serve = await serveProgram([...flags, ...echo]);
    const ask = async (path: string, json: unknown, more: object = {}) => {
      const headers = { "content-type": "application/json", ...more };
      const init = { method: "POST", headers, body: JSON.stringify(json) };
      const answer = await fetch(serve.url + path, init);
      return `${answer.status} ${await answer.text()}`;
    };
    const params = { a: "x", b: 1 };
    const unfit = /argument a: expected number/;
    for (const stream of [false, true]) {
      const answer = await ask("/tools", { tool: "add", params, stream });
      expect(answer).toMatch(/^200 /);
      expect(answer).toMatch(unfit);
    }
    const named = await ask("/tools/add", params);
    expect(named).toMatch(/^400 /);
    expect(named).toMatch(unfit);
    const asked = { name: "add", arguments: params } as { name: string };
    const { json, headers } = modernInit("tools/call", asked);
    expect(await ask("/mcp", json, headers as object)).toMatch(unfit);
    const calls = (await (await fetch(`${serve.url}/calls`)).json()) as object[];
    expect(calls).toHaveLength(4);
  }
});

test("edited, broken, and mended", async () => {
  await using dir = await tempDir();
  const file = dir.file("p.ts");
  await Bun.write(file, plugin("one", "echo"));
  await using serve = await serveProgram(["--plugin", file, "--log-level", "info", ...echo]);
  const call = async (tool: string, params: object = {}) => {
    const answer = await fetch(`${serve.url}/tools`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ tool, params }),
    });
    const body = (await answer.json()) as { plain_text_response?: string; message?: string };
    return body.plain_text_response ?? `${answer.status} ${body.message}`;
  };
  const listed = async () =>
    ((await (await fetch(`${serve.url}/tools`)).json()) as { name: string }[]).map(
      ({ name }) => name,
    );

  expect(await call("echo", { message: "x" })).toMatch(/^403 .*denied by plugin "p": one$/);
  await waitFor(async () => (await listed()).includes("wait"), "the tools of the plugin");
  expect(await listed()).not.toContain("one");
  const running = call("wait", { file: dir.file("go") });
  running.catch(() => {});

  await Bun.write(file, plugin("two", "add"));
  await waitFor(async () => (await call("echo", { message: "x" })) === "x", "the new hooks");
  expect(await call("add", { a: 1, b: 2 })).toMatch(/denied by plugin "p": two$/);
  await waitFor(async () => (await listed()).includes("wait"), "its new tools");
  expect(await listed()).not.toContain("two");
  expect(await call("two")).toMatch(/^(404|403) /);
  // What ran goes on with what it began with.
  await Bun.write(dir.file("go"), "");
  expect(await running).toBe("one");

  const health = async () => (await (await fetch(`${serve.url}/health`)).json()) as any;
  expect((await health()).plugins).toBeUndefined();
  await Bun.write(file, "export default {");
  await waitFor(async () => (await health()).plugins !== undefined, "what is wrong with it");
  expect((await health()).plugins.error).toMatchObject({
    code: "config",
    message: expect.stringContaining("cannot be loaded"),
  });
  expect(await call("add", { a: 1, b: 2 })).toMatch(/denied by plugin "p": two$/);

  await Bun.write(file, plugin("three", "none"));
  await waitFor(async () => (await call("add", { a: 1, b: 2 })) === "3", "the mended plugin");
  expect((await health()).plugins).toBeUndefined();
  serve.kill("SIGTERM");
  await serve.exited;
  const entries = (await serve.stderr).trim().split("\n");
  const told = entries
    .filter((line) => /plugins|cleaned/.test(line))
    .map((line) => (line.startsWith("{") ? (JSON.parse(line) as { text: string }).text : line));
  expect(told).toEqual([
    "the plugins were loaded again",
    "cleaned one",
    expect.stringMatching(/^the plugins stay as they were: plugin .*p\.ts cannot be loaded: /),
    "the plugins were loaded again",
    "cleaned two",
    "cleaned three",
  ]);
});
