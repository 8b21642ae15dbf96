/** What servers ask where nobody sits at a terminal: `--elicit`, the refusal that names it, and tools that are hidden. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root } from "../harness.ts";
import { answers, call, form, modern } from "./elicit-kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B097 without a terminal", () => {
  test("nothing is declared", async () => {
    expectRun(await call("declared").run(), { stdout: /^(?!.*elicitation)\{.*\}\n$/ });
  });

  test("a server that asks all the same is refused at once, and stderr names the flag", async () => {
    const run = await call("form", form({ a: { type: "string" } })).run();
    expectRun(run, {
      stdout: /-32601/,
      stderr:
        /warning: \[server\] it asked, and nobody here answers: Tell us \(.*--elicit JSON\)\n/,
    });
  });

  test("one that asks to open a page is told of without the flag, which never agrees to that", async () => {
    for (const words of [[], ["--elicit", "{}"]]) {
      const run = await call("page", "url=https://example.com/", ...words).run();
      expect(run.stderr).toEndWith("nobody here answers: Sign in (call it on a terminal)\n");
    }
  });

  test("a server that hands the refusal on as its own: what it wanted, and the flag", async () => {
    const run = await call("passes").run();
    expectRun(run, {
      code: 1,
      stderr:
        /-32601.*\n {2}it has to ask somebody, and nobody here answers \(.*--elicit JSON\)\n$/,
    });
  });

  test.each([
    ["fails", /-32600: cannot send .*\n {2}it asks as servers did .*--protocol legacy .*\n$/],
    ["tells", /^asking failed: .*\nmcphost: warning: \[server\] it asks .*--protocol legacy .*\n$/],
  ])(
    "a tool that asks in the way of older revisions %s: the flag that helps",
    async (tool, stderr) => {
      const old = [...bunAlone, join(root, "test/fixtures/cli/back-channel.ts")];
      expectRun(await mcphost("call", tool, "--", ...old).run(), { code: 1, stderr });
    },
  );

  test("B061 a modern server that needs it: the question, and the flag", async () => {
    const run = await mcphost("call", "ask", "--no-validate", "--", ...modern).run();
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/--elicit/);
  });
});

describe.concurrent("--elicit", () => {
  const properties = { name: { type: "string" }, n: { type: "integer", default: 7 } };

  const asked = form(properties, ["name"]);

  test.each<[string, object, RegExp | ""]>([
    ['{"name":"Ada","other":1}', { action: "accept", content: { name: "Ada", n: 7 } }, ""],
    ['{"name":"Ada","n":8}', { action: "accept", content: { name: "Ada", n: 8 } }, ""],
    ["decline", { action: "decline" }, ""],
    ["cancel", { action: "cancel" }, ""],
  ])("%s", async (value, answer, stderr) => {
    const run = await call("form", asked, "--elicit", value).run();
    expectRun(run, { stdout: `${JSON.stringify(answer)}\n`, stderr });
  });

  test.each<[string, RegExp]>([
    ["{}", /: name is missing\n/],
    ['{"n":"8"}', /: name is missing; n must be a number\n/],
    ['{"color":"red"}', /: it asks for name, n, and --elicit has none of it\n/],
    ['{"nam":"Ada"}', /none of it\n {2}did you mean name\? the call was given up; --elicit decl/],
  ])("%s does not fit: a usage error, and no word in the person's name", async (value, stderr) => {
    const run = await call("form", asked, "--elicit", value).run();
    expectRun(run, { code: 2, stderr });
    expect(run.stderr).toStartWith(
      `mcphost: --elicit does not fit the form "Tell us" of server "server": `,
    );
  });

  test("nor does a modern server hear of it", async () => {
    const words = ["call", "ask", "--json", "--elicit", '{"size":"huge"}', "--", ...modern];
    const run = await mcphost(...words).run();
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(run.stderr).error).toMatchObject({ code: "usage", server: "server" });
  });

  test("is declared: an object for forms, a word for pages too", async () => {
    const words = ["{}", "decline"].map((value) => call("declared", "--elicit", value).run());
    const runs = await Promise.all(words);
    expect(runs.map(({ stdout }) => JSON.parse(stdout).elicitation)).toEqual([
      { form: {} },
      { form: {}, url: {} },
    ]);
  });

  test("answers a modern server", async () => {
    const words = ["call", "ask", "--elicit", '{"name":"Ada"}', "--", ...modern];
    expectRun(await mcphost(...words).run(), {
      stdout:
        '{"action":"accept","content":{"name":"Ada","size":"small","count":1,"gift":false}}\n',
    });
  });

  test.each(["[1]", "yes", "{name:1}", ""])(
    "%j is a usage error, and starts nothing",
    async (value) => {
      const run = await call("declared", `--elicit=${value}`).run();
      expectRun(run, { code: 2, stderr: /--elicit takes a JSON object, decline or cancel/ });
    },
  );
});

describe.concurrent("a tool that is hidden from whom nobody answers for", () => {
  const hiding = [...bunAlone, join(root, "test/fixtures/cli/hides.ts")];

  const at = (...words: string[]) => mcphost(...words, "--", ...hiding).run();

  test("is not known, and what brings it back is said", async () => {
    expectRun(await at("call", "zzzz"), {
      code: 2,
      stderr: `mcphost: no tool is called "zzzz"
  there is 1 tool; mcphost tools shows what there is; servers may hide tools from whom they cannot ask: --elicit JSON, decline or cancel answers them
`,
    });
    const answered = await at("call", "zzzz", "--elicit", "{}");
    expect(answered.stderr).toEndWith("\n  there are 2 tools; mcphost tools shows what there is\n");
    expect((await at("call", "opn")).stderr).not.toContain("hide");
  });

  test("is counted by doctor and servers alike, and the call to copy can be copied", async () => {
    expect((await at("doctor")).stdout).toContain(", 1 tool,");
    expect((await at("doctor", "--elicit", "{}")).stdout).toContain(", 2 tools,");
    const help = await at("tools", "secret", "--elicit", "{}", "--env", "A=b");
    const line = help.stdout.split("\n").at(-2) ?? "";
    expect(line).toStartWith("  mcphost call secret --env A=b --elicit '{}' -- ");
  });
});

describe.concurrent("server-everything", () => {
  const everything = [
    ...bunAlone,
    join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
    "stdio",
  ];

  test("its form of every kind of field: what is given, and its defaults", async () => {
    const words = ["call", "trigger-elicitation-request", "--elicit", '{"name":"Ada"}', "--"];
    const run = await mcphost(...words, ...everything).run();
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const raw = run.stdout.slice(run.stdout.indexOf("Raw result:") + 11);
    expect(JSON.parse(raw)).toMatchObject({
      action: "accept",
      content: { name: "Ada", integer: 42, untitledMultipleSelectEnum: ["Guitar"] },
    });
  });

  test("its error -32042, which no completion follows", async () => {
    const words = ["trigger-url-elicitation", "url=https://example.com/", "errorPath:=true"];
    await using screen = await mcphost("call", ...words, "--", ...everything).terminal();
    await answers(screen, [
      [/asks you to visit a page[^]*Show it/, "\r"],
      [/goes on once that is done[^]*It is done/, "\r"],
      // Then it asks for the page itself.
      [/asks you to visit a page[^]*domain {2}example\.com[^]*Show it/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain('"action": "accept"');
  });
});
