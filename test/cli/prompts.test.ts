/** `prompts` and `prompt`: the fixture server of every feature, in both eras, and a real one. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { shellQuote } from "../../lib/cli/tool-help.ts";
import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const fixture = (era: string) => [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), era];
const over = (era: string, ...words: string[]) => mcphost(...words, "--", ...fixture(era));

describe.each([["legacy"], ["modern"]])("%s", (era) => {
  test("prompts: signatures, the required first", async () => {
    expectRun(await over(era, "prompts").run(), {
      stdout: `greet(name, style?)  # A greeting in a style
plain()  # No arguments
rich()  # All kinds of content
asks()  # Asks for a name first
`,
    });
  });

  test("prompts PATTERN: one match is explained; none names the nearest", async () => {
    expectRun(await over(era, "prompts", "greet").run(), {
      stdout: `greet(name, style?)

Greet somebody

A greeting in a style

Arguments:
  name  (required)
      Whom
  style

Server: server

Example:
  mcphost prompt greet name=text -- ${fixture(era).map(shellQuote).join(" ")}
`,
    });
    expectRun(await over(era, "prompts", "*i*").run(), {
      stdout: "plain()  # No arguments\nrich()  # All kinds of content\n",
    });
    expectRun(await over(era, "prompts", "gret").run(), {
      code: 2,
      stderr: 'mcphost: no prompt matches "gret"\n  did you mean greet?\n',
    });
  });

  test("prompts --json: as the server lists them, under the names shown here", async () => {
    const { stdout } = await over(era, "prompts", "greet", "--json").run();
    expect(JSON.parse(stdout)).toEqual([
      {
        name: "greet",
        server: "server",
        prompt: "greet",
        title: "Greet somebody",
        description: "A greeting in a style",
        arguments: [{ name: "name", description: "Whom", required: true }, { name: "style" }],
      },
    ]);
  });

  test("prompt: one message is its text; several stand under their roles", async () => {
    expectRun(await over(era, "prompt", "greet", "name=Ada", "style=5").run(), {
      stdout: "Greet Ada, 5.\n",
    });
    expectRun(await over(era, "prompt", "rich").run(), {
      stdout: "user:\nLook at this.\n\nuser:\n[image image/png, 3 bytes]\n\nuser:\nfirst\n",
      stderr: "what is no text is only named; --json has it\n",
    });
  });

  test("prompt --json: the result as it came", async () => {
    const { stdout } = await over(era, "prompt", "plain", "--json").run();
    expect(stdout).toMatch(/^\{.*"text":"Say something\."\}\}\].*\}\n$/);
  });

  test("prompt: values are text, exactly as typed, from files and stdin too", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("name"), "two\nlines\n");
    const name = async (...words: string[]) => {
      const run = over(era, "prompt", "greet", ...words);
      const { stdout } = await run.cwd(dir.path).stdin("from stdin").run();
      return stdout.replace(/^Greet ([^]*)\.\n$/, "$1");
    };
    expect(await name("name=007")).toBe("007");
    expect(await name("name={x")).toBe("{x");
    expect(await name("name=@name")).toBe("two\nlines\n");
    expect(await name("name=@-")).toBe("from stdin");
    expect(await name('{"name":"J","style":"s"}')).toBe("J, s");
    expect(await name("name=a", "name=b")).toBe("b");
    expectRun(await over(era, "prompt", "greet", "name:=5").run(), {
      code: 2,
      stderr:
        "mcphost: argument name: expected text, got 5\n  all arguments of prompts are text: write name=VALUE\n",
    });
  });

  test("prompt: what is missing or unknown is refused or told before anything is sent", async () => {
    expectRun(await over(era, "prompt", "greet", "nmae=x").run(), {
      code: 2,
      stderr: `mcphost: greet: argument name is required; the prompt names no argument "nmae"; did you mean name?
  greet(name, style?)
`,
    });
    expectRun(await over(era, "prompt", "greet", "name=x", "stile=y").run(), {
      stdout: "Greet x.\n",
      stderr: /the prompt names no argument "stile"; did you mean style\?/,
    });
    expectRun(await over(era, "prompt", "gret").run(), {
      code: 2,
      stderr: 'mcphost: no prompt is called "gret"\n  did you mean greet?\n',
    });
  });

  test("prompt: what needs an answer takes it from --elicit", async () => {
    expectRun(await over(era, "prompt", "asks", "--elicit", '{"name":"Ada"}').run(), {
      stdout: '{"action":"accept","content":{"name":"Ada"}}\n',
    });
  });
});

test("several servers: names with their prefix; a bare name where one has it", async () => {
  const [command, ...args] = fixture("modern");
  const everything = join(
    root,
    "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
  );
  const config = JSON.stringify({
    mcpServers: {
      fix: { command, args },
      every: { command: bunAlone[0], args: [...bunAlone.slice(1), everything] },
    },
  });
  const both = (...words: string[]) => mcphost(...words, "--config-json", config).run();
  const { stdout } = await both("prompts");
  expect(stdout).toContain("fix_greet(name, style?)  # ");
  expect(stdout).toContain("every_args-prompt(city, state?)  # ");
  for (const name of ["fix_greet", "fix.greet", "fix/greet", "greet"])
    expectRun(await both("prompt", name, "name=x"), { stdout: "Greet x.\n" });
  expectRun(await both("prompt", "args-prompt", "city=Paris"), { stdout: /Paris/ });
});

test("only the server that a name can mean is started", async () => {
  await using dir = await tempDir();
  const [command, ...args] = fixture("modern");
  const other = { command: "sh", args: ["-c", `touch ${dir.file("started")}`] };
  const config = JSON.stringify({ mcpServers: { fix: { command, args }, other } });
  expectRun(await mcphost("prompt", "fix_plain", "--config-json", config).run(), {
    stdout: "Say something.\n",
  });
  expect(await Bun.file(dir.file("started")).exists()).toBe(false);
});

test("usage errors start no server", async () => {
  await using dir = await tempDir();
  const server = ["--", "sh", "-c", `touch ${dir.file("started")}`];
  for (const [words, stderr] of [
    [["prompt"], /^mcphost: prompt needs the name of a prompt\n/],
    [["prompt", "x", "word"], /^mcphost: "word" is not an argument\n/],
    [["prompts", "a", "b"], /^mcphost: prompts takes one pattern, and got 2\n/],
  ] as const)
    expectRun(await mcphost(...words, ...server).run(), { code: 2, stderr });
  expect(await Bun.file(dir.file("started")).exists()).toBe(false);
});
