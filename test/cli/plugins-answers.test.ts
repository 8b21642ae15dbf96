/** Plugins that answer what servers ask, and those of one's own config that let no server start. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { echo, folder } from "./plugins-kit.ts";

test("what servers ask is declared and answered by a plugin, in either era", async () => {
  await using dir = await folder({
    "answers.ts": `export default { name: "a", hooks: {
      elicit: ({ server, params }) => ({ action: "accept", content: { name: server + " " + params.message } }),
      sample: () => undefined,
      roots: (server) => [{ uri: "file:///" + server }],
    } };`,
  });
  const plugged = ["--plugin", dir.file("answers.ts"), "--"];
  const legacy = [...bunAlone, join(root, "test/fixtures/cli/forms.ts")];
  const declared = await mcphost("call", "declared", ...plugged, ...legacy).run();
  expect(JSON.parse(declared.stdout)).toMatchObject({ elicitation: {}, sampling: {}, roots: {} });
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const asking = `--args=${JSON.stringify({ message: "Who?", schema })}`;
  const answered = await mcphost("call", "form", asking, ...plugged, ...legacy).run();
  expect(JSON.parse(answered.stdout)).toMatchObject({
    action: "accept",
    content: { name: "server Who?" },
  });
  const modern = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), "modern"];
  const run = await mcphost("call", "ask", "--json", ...plugged, ...modern).run();
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/server /) });
});

describe.each([
  ["a plugin of it says that none may start", '{ "plugins": ["./none.ts"] }', 5],
  ["it is wrong", '{ "policy": [', 2],
])("with a config of one's own, where %s", (_name, own, code) => {
  const none = `export default {
    name: "none",
    hooks: { serverStart: () => ({ deny: "no servers here" }) },
  };`;

  test.each([[], ["--allow-all"]])("no server was started: %j", async (...flags) => {
    await using home = await tempDir();
    await Bun.write(home.file("config/mcphost/config.json"), own);
    await Bun.write(home.file("config/mcphost/none.ts"), none);
    const server = ["sh", "-c", `touch ${home.file("started")}; exec "$@"`, "sh", ...echo];
    const run = mcphost("call", "echo", "message=hi", ...flags, "--", ...server).home(home.path);
    expectRun(await run.run(), { code, stderr: /./ });
    expect(await Bun.file(home.file("started")).exists()).toBe(false);
  });

  test("nothing was connected to", async () => {
    await using home = await tempDir();
    await Bun.write(home.file("config/mcphost/config.json"), own);
    await Bun.write(home.file("config/mcphost/none.ts"), none);
    let connections = 0;
    const socket = { open: () => void (connections += 1), data() {} };
    using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    const run = mcphost("call", "echo", "message=hi", "-s", url).home(home.path);
    expectRun(await run.run(), { code, stderr: /./ });
    expect(connections).toBe(0);
  });
});
