/** What servers ask, on the command line: forms and pages on a terminal, `--elicit` elsewhere, and nobody there at all. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, sourceProgram, tempDir } from "../harness.ts";
import type { Screen } from "../harness.ts";

setDefaultTimeout(30_000);

const server = [...bunAlone, join(root, "test/fixtures/cli/forms.ts")];
const modern = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), "modern"];
const call = (...words: string[]) => mcphost("call", ...words, "--", ...server);
const form = (properties: object, required: string[] = [], message = "Tell us") => {
  const schema = { type: "object", properties, required };
  return `--args=${JSON.stringify({ message, schema })}`;
};
const down = "\u001b[B";

/** Types keys once a text stands there that was not there before. */
async function answers(screen: Screen, steps: readonly (readonly [RegExp, string])[]) {
  let from = 0;
  for (const [pattern, keys] of steps) {
    await screen.shows(new RegExp(`^[^]{${from}}[^]*?(?:${pattern.source})`));
    from = screen.text().length;
    screen.type(keys);
  }
}

/** The last line of JSON on the screen. */
function lastJson(screen: Screen): unknown {
  const line = screen
    .text()
    .match(/\{[^\r\n]*\}(?=\r\n)/g)
    ?.at(-1);
  return line === undefined ? screen.text() : JSON.parse(line);
}

// Terminals one at a time: a person would wait for each of them, too.
describe("on a terminal", () => {
  test("every kind of field is asked for, shown once more, and sent", async () => {
    const properties = {
      name: { type: "string", title: "Your name", description: "as on the badge", minLength: 2 },
      mail: { type: "string", format: "email" },
      age: { type: "integer", minimum: 18, maximum: 120, default: 30 },
      ok: { type: "boolean" },
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
      },
      tags: {
        type: "array",
        items: { type: "string", enum: ["red", "green", "blue"] },
        minItems: 1,
      },
      note: { type: "string" },
    };
    const required = ["name", "mail", "ok", "size", "tags"];
    await using screen = await call("form", form(properties, required)).terminal();
    await answers(screen, [
      [/Server "server" asks: Tell us/, "\r"],
      [/Your name \(at least 2 characters\)[^]*as on the badge/, "A\r"],
      [/must have at least 2 characters/, "da\r"],
      [/mail \(e-mail address\)/, "ada\r"],
      [/must be an e-mail address/, "@example.com\r"],
      [/age \(whole number, 18 to 120, optional\)/, "0\r"],
      [/must be at most 120/, "\u007f\u007f1\r"],
      [/ok[^]*Yes[^]*No/, `${down}\r`],
      [/size[^]*Large \(l\)/, `${down}\r`],
      [/tags \(at least 1 of them\)/, "\r"],
      [/select at least one option/, ` ${down}${down} \r`],
      [/note \(optional\)/, "\r"],
      [
        /Send this to server "server"\?[^]*Your name: Ada[^]*mail: ada@example.com[^]*age: 31[^]*ok: no[^]*size: Large \(l\)[^]*tags: red, blue[^]*note: \(left out\)/,
        "\r",
      ],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({
      action: "accept",
      content: {
        name: "Ada",
        mail: "ada@example.com",
        age: 31,
        ok: false,
        size: "l",
        tags: ["red", "blue"],
      },
    });
  });

  test("a default stands there already, and Enter takes it", async () => {
    const properties = {
      name: { type: "string", default: "Ada" },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "g" },
      many: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, default: ["a"] },
      yes: { type: "boolean", default: true },
      score: { type: "number", default: 95.5 },
    };
    await using screen = await call("form", form(properties)).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/name \(optional\)/, "\r"],
      [/color \(optional\)/, "\r"],
      [/many \(optional\)/, "\r"],
      [/yes \(optional\)/, "\r"],
      [/score \(number, optional\)/, "\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({
      action: "accept",
      content: { name: "Ada", color: "g", many: ["a"], yes: true, score: 95.5 },
    });
  });

  test("what is optional can be left out, and then its default is not sent either", async () => {
    const properties = {
      name: { type: "string", default: "Ada" },
      color: { type: "string", enum: ["r", "g"], default: "g" },
      many: {
        type: "array",
        items: { type: "string", enum: ["a", "b"] },
        minItems: 1,
        default: ["a"],
      },
      two: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 2 },
      yes: { type: "boolean", default: true },
      kept: { type: "string", default: "kept" },
    };
    await using screen = await call("form", form(properties, ["kept"])).terminal();
    await answers(screen, [
      [/Answer: name, color, many, two, … \(6 in all\)/, "\r"],
      [/name \(optional\)/, "\u007f\u007f\u007f\r"],
      [/color \(optional\)[^]*leave it out/, `${down}\r`],
      [/many \(at least 1 of them, optional\)/, " \r"],
      [/two \(at least 2 of them, optional\)/, " \r"],
      [/at least 2 must be picked/, " \r"],
      [/yes \(optional\)[^]*leave it out/, `${down}${down}\r`],
      [/kept/, "\u007f\u007f\u007f\u007f\r"],
      [
        /Send this[^]*color: \(left out\)[^]*many: \(left out\)[^]*yes: \(left out\)[^]*kept: kept/,
        "\r",
      ],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "accept", content: { kept: "kept" } });
  });

  test("a description stands beside the line of its question, however long it is", async () => {
    const description = "as it stands on the badge that you were given ".repeat(4).trim();
    await using screen = await call(
      "form",
      form({ name: { type: "string", description } }),
    ).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/you were given\r\n(?!.*badge)/, "\u001b"],
    ]);
    expect(await screen.exited).toBe(0);
    const lines = Bun.stripANSI(screen.text()).split("\r\n");
    const said = lines.filter((line) => /badge|given/.test(line));
    expect(said.length).toBeGreaterThan(1);
    for (const line of said) expect(line).toMatch(/^(\S* )?│ {4,}\S/);
  });

  test("Esc is a dismissal: the server is told, and the command goes on", async () => {
    for (const at of ["first", "field", "review"]) {
      await using screen = await call("form", form({ a: { type: "string" } })).terminal();
      const steps = [
        [/Decline/, at === "first" ? "\u001b" : "\r"],
        [/a \(optional\)/, at === "field" ? "\u001b" : "x\r"],
        [/Send this/, "\u001b"],
      ] as const;
      const last = ["first", "field", "review"].indexOf(at);
      await answers(screen, steps.slice(0, last + 1));
      expect(await screen.exited).toBe(0);
      expect(lastJson(screen)).toEqual({ action: "cancel" });
      expect(screen.text()).not.toContain("interrupted");
    }
  });

  test("an answer can be changed before it is sent; a pattern is held to", async () => {
    const properties = { code: { type: "string", pattern: "^[A-Z]+$" } };
    await using screen = await call("form", form(properties)).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/code \(optional\)/, "ab\r"],
      [/Send this/, `${down}\r`],
      [/code \(optional\)/, "\u007f\u007fabc\r"],
      [/Send this/, "\r"],
      [/that did not do: code: /, "\r"],
      [/code \(optional\)/, "\u007f\u007f\u007fABC\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "accept", content: { code: "ABC" } });
  });

  test.each([
    ["decline", `${down}\r`],
    ["cancel", `${down}${down}\r`],
  ])("%s is always offered", async (action, keys) => {
    await using screen = await call("form", form({ a: { type: "string" } })).terminal();
    await answers(screen, [[/Answer: a[^]*Decline[^]*Cancel/, keys]]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action });
  });

  test("a number that no double holds is shown and sent with every digit", async () => {
    const big = "9007199254740993";
    const numbers = [...bunAlone, join(root, "test/fixtures/cases/run.ts"), "talk.numbers", big];
    await using screen = await mcphost("call", "fault", "--", ...numbers).terminal();
    await answers(screen, [
      [/Answer: n/, "\r"],
      [new RegExp(`at most ${big}[^]*${big}`), "\r"],
      [new RegExp(`n: ${big}[^]*Send`), "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(`"content":{"n":${big}}`);
  });

  test("Ctrl-C ends the command", async () => {
    await using screen = await call("form", form({ a: { type: "string" } })).terminal();
    await answers(screen, [[/Decline/, "\u0003"]]);
    expect(await screen.exited).toBe(130);
    expect(screen.text()).toContain("interrupted");
  });

  test("a question that the server takes back goes away, and the call goes on", async () => {
    await using screen = await call("withdraw").terminal();
    await screen.shows(/asks: Still there\?/);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith(
      "mcphost: no answer is needed any more: cancelled by the far side\r\nnever mind\r\n",
    );
    expect(screen.text()).not.toContain("interrupted");
  });

  test("what a server says cannot draw on the screen, nor pass for us", async () => {
    const evil = 'hi\u001b[2Jthere\u202e\nServer "bank" asks: PIN';
    const properties = {
      a: { type: "string", title: "x\u001b]0;t\u0007\ny", enum: ["\u001b[1m"] },
    };
    await using screen = await call("form", form(properties, ["a"], evil)).terminal();
    await answers(screen, [
      [/\n[^\n]*hi\\u001b\[2Jthere\\u202e[^\n]*\n[^\n]* {2}\| Server "bank"/, "\r"],
      [/x\\u001b]0;t\\u0007 y[^]*\\u001b\[1m/, "\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).not.toContain("\u001b[2J");
    expect(screen.text()).not.toContain("\u001b]0;");
  });

  test("a default of several lines is one line of its question, and is sent as it was", async () => {
    const note = 'a\r\nServer "bank" asks: PIN\u001b[2J';
    const properties = { note: { type: "string", default: note } };
    await using screen = await call("form", form(properties)).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/\u250c?[^\n]*a\\u000d\\u000aServer "bank"/, "\r"],
      [/Send this[^]*note: a\\u000d\\u000aServer "bank"/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).not.toMatch(/\n\W*Server "bank"/);
    expect(screen.text()).toContain(JSON.stringify({ note }).slice(1, -1));
  });

  test("a terminal that says no size has the usual one", async () => {
    const narrow = ["sh", "-c", 'stty cols 0 rows 0; exec "$@"', "sh", ...sourceProgram];
    await using screen = await call("form", form({ a: { type: "string" } }))
      .program(narrow)
      .terminal();
    await answers(screen, [[/Server "server" asks: Tell us[^]*Decline/, `${down}\r`]]);
    expect(await screen.exited).toBe(0);
  });

  test("progress and logs do not write into an open question", async () => {
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const words = `--args=${JSON.stringify({ schema, noise: 6 })}`;
    await using screen = await call("form", words).terminal();
    await screen.shows(/Decline/);
    const before = screen.text();
    // All of the noise has been made by then.
    await Bun.sleep(500);
    expect(screen.text().slice(before.length)).not.toContain("noise");
    screen.type(`${down}\r`);
    await screen.shows(/noise 1\r\n[^]*noise 6\r\n/);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "decline" });
  });

  test("two questions at once come one after the other, each with its own answer", async () => {
    await using screen = await call("twice").terminal();
    // Which of the two comes first is nobody's promise.
    await screen.shows(/asks: (first|second)/);
    const [first, second] = screen.text().includes("asks: first") ? ["one", "two"] : ["two", "one"];
    await answers(screen, [
      [/asks: /, "\r"],
      [/name \(optional\)/, `${first}\r`],
      [/Send this/, "\r"],
      [/asks: /, "\r"],
      [/name \(optional\)/, `${second}\r`],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(
      '{"action":"accept","content":{"name":"one"}} {"action":"accept","content":{"name":"two"}}',
    );
  });

  test("a modern server's question is put the same way", async () => {
    await using screen = await mcphost("call", "ask", "--", ...modern).terminal();
    await answers(screen, [
      [/asks: Who is it for\?/, "\r"],
      [/Your name \(at least 1/, "Ada\r"],
      [/size \(optional/, "\r"],
      [/count \(whole/, "\r"],
      [/gift \(optional/, "\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({
      action: "accept",
      content: { name: "Ada", size: "small", count: 1, gift: false },
    });
  });
});

/** A folder with an `xdg-open` that writes down what it was given. */
async function desktop() {
  const dir = await tempDir();
  const opener = dir.file("xdg-open");
  await Bun.write(opener, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${dir.file("opened")}'\n`);
  await chmod(opener, 0o755);
  return {
    env: { PATH: `${dir.path}:${process.env["PATH"]}`, DISPLAY: ":0" },
    opened: async () => await Bun.file(dir.file("opened")).text(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe("a page to visit", () => {
  test.skipIf(process.platform !== "linux")(
    "is shown with its domain, and opened as one argument only when agreed to",
    async () => {
      await using desk = await desktop();
      const url = "https://example.com/a?b=$(id)&c='d';e";
      await using screen = await call("page", `url=${url}`).env(desk.env).terminal();
      await answers(screen, [
        [
          /Server "server" asks you to visit a page: Sign in[^]*domain {2}example.com[^]*Open it/,
          "\r",
        ],
      ]);
      expect(await screen.exited).toBe(0);
      expect(lastJson(screen)).toEqual({ action: "accept" });
      expect(await desk.opened()).toBe(`1\n${new URL(url).href}\n`);
    },
  );

  test("is printed where nothing can open it", async () => {
    const url = "https://example.com/sign-in?state=1";
    await using screen = await call("page", `url=${url}`).terminal();
    await answers(screen, [[/Show it, to be opened by hand/, "\r"]]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(`open this in a browser:\r\n${url}\r\n`);
  });

  test("can be declined", async () => {
    await using screen = await call("page", "url=https://example.com/").terminal();
    await answers(screen, [[/domain {2}example.com/, `${down}\r`]]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "decline" });
  });

  test.each([
    ["https://xn--80ak6aa92e.com/", /careful the domain is spelt with other letters[^]*аррӏе\.com/],
    ["https://аррӏе.com/", /domain {2}xn--80ak6aa92e\.com[^]*careful/],
    [
      "https://google.com@203.0.113.7:8443/",
      /domain {2}203\.0\.113\.7:8443[^]*before the @[^]*bare network address[^]*port 8443/,
    ],
    ["http://127.0.0.1/x", /careful it leads to this computer itself/],
  ])("%s is marked as odd", async (url, pattern) => {
    await using screen = await call("page", `url=${url}`).terminal();
    await answers(screen, [[pattern, `${down}\r`]]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "decline" });
  });

  test.each(["http://example.com/", "javascript:alert(1)", "file:///etc/passwd"])(
    "%s is declined without a question, and that is said",
    async (url) => {
      await using screen = await call("page", `url=${url}`).terminal();
      expect(await screen.exited).toBe(0);
      expect(lastJson(screen)).toEqual({ action: "decline" });
      expect(screen.text()).toMatch(
        /warning: \[server\] the URL that it wants to have opened[^]*declined/,
      );
    },
  );

  test("asked for again, it can be said to be done", async () => {
    await using screen = await call("page", "url=https://example.com/", "times:=2").terminal();
    await answers(screen, [
      [/asks you to visit/, "\r"],
      [/still waits for a page[^]*It is done: go on/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "accept" });
  });

  test("that an error asks for (-32042): visited, and the call is made again when the server tells", async () => {
    await using screen = await call("gate", "url=https://example.com/pay", "ms:=1500").terminal();
    await answers(screen, [[/visit a page: Pay first/, "\r"]]);
    await screen.shows(/Server "server" goes on once that is done/);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain("let in");
  });

  test("where the server tells nothing, the person does", async () => {
    await using screen = await call("gate", "url=https://example.com/pay").terminal();
    await answers(screen, [
      [/visit a page: Pay first/, "\r"],
      [/goes on once that is done[^]*It is done/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain("let in");
  });

  test("Ctrl-C ends that wait, and the command", async () => {
    await using screen = await call("gate", "url=https://example.com/pay").terminal();
    await answers(screen, [
      [/visit a page: Pay first/, "\r"],
      [/goes on once that is done[^]*It is done/, "\u0003"],
    ]);
    expect(await screen.exited).toBe(130);
  });
});

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
