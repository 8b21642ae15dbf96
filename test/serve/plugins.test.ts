/** A plugin that is edited while `serve` runs: taken up between calls, its tools and all; one that is wrong changes nothing. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, root, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { serveProgram } from "./program-kit.ts";

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
