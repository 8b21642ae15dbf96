/** B095: nothing secret of a config is in any output of ours, whatever fails, at any level. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { mcphost, tempDir } from "../harness.ts";
import { faulty } from "./kit.ts";

setDefaultTimeout(60_000);

const [command = "", ...rest] = faulty("leaks.FAULT");

/** A config that holds a secret in each place where there can be one. */
function configOf(fault: string) {
  const args = rest.map((word) => word.replace("FAULT", fault));
  return {
    mcpServers: {
      s: {
        command,
        args: [
          ...args,
          "-e",
          "TOKEN=s3cr3t-3",
          "-e",
          "lower_token=s3cr3t-31",
          "--env=OTHER=s3cr3t-32",
          "--api-key",
          "s3cr3t-33",
          "--token=s3cr3t-34",
          "--header",
          "Authorization: Bearer s3cr3t-35",
          "postgres://user:s3cr3t-36@db.example/x?password=s3cr3t-37",
        ],
        env: {
          DIFY_KEY: "s3cr3t-1",
          MCP_API_KEY: "s3cr3t-2",
          QUOTED: 's3cr3t-"8"\\',
          FROM: "${OUR_KEY}",
          LINES: "s3cr3t-9\ns3cr3t-10",
        },
        startTimeoutMs: 2000,
        timeoutMs: 1000,
      },
      web: {
        url: "http://u:s3cr3t-5@127.0.0.1:1/mcp?key=s3cr3t-6",
        headers: { Authorization: "Bearer s3cr3t-4", "X-Key": "s3cr3t-41" },
      },
    },
  };
}

const levels = ["debug", "info", "warn", "error"];
const commands: string[][] = [
  ["servers"],
  ["servers", "--check"],
  ["tools"],
  ["tools", "refuse"],
  ["doctor"],
  ["config", "--show"],
  ...["refuse", "fail", "exit", "silent", "nothing"].map((tool) => ["call", `s.${tool}`]),
];

describe.concurrent("B095", () => {
  test.each(["dies-at-start", "refuses-initialize", "refuses-list", "talks"])(
    "%s: no secret in any output, at any level",
    async (fault) => {
      await using dir = await tempDir();
      await Bun.write(dir.file("c.json"), JSON.stringify(configOf(fault)));
      const calls =
        fault === "talks"
          ? commands
          : commands.filter(([name, tool]) => name !== "call" || tool === "s.refuse");
      for (const words of calls) {
        const variants = [
          // Of a higher level there are fewer of the same lines.
          ...(words.length === 1 && words[0] === "tools" ? levels : ["debug"]).map((level) => [
            "--log-level",
            level,
          ]),
          ["--json"],
          ...(words[0] === "config" ? [] : [["--json", "--log-level", "debug", "--stderr"]]),
        ];
        for (const flags of words[0] === "call" ? [...variants, ["--events"]] : variants) {
          const run = await mcphost(...words, ...flags, "-c", "c.json")
            .cwd(dir.path)
            .env({ OUR_KEY: "s3cr3t-7" })
            .run();
          // The result of a tool is the tool's: only what we say ourselves counts.
          const own =
            words[1] === "s.fail" && flags.includes("--json")
              ? run.stderr
              : run.stdout + run.stderr;
          const leaked = own.split("\n").filter((line) => /s3cr3t/.test(line));
          expect({ words: [...words, ...flags], leaked }).toEqual({
            words: [...words, ...flags],
            leaked: [],
          });
          expect(run.code).not.toBeNull();
        }
      }
    },
  );

  test("nor where the servers are named on the command line", async () => {
    const words = [
      "--",
      ...faulty("leaks.talks"),
      "-e",
      "TOKEN=s3cr3t-3",
      "--api-key",
      "s3cr3t-33",
    ];
    for (const flags of [["--log-level", "debug"], ["--json"], ["--stderr"]])
      for (const asked of [
        ["tools", "refuse"],
        ["call", "refuse"],
        ["call", "exit"],
        ["doctor"],
        ["servers", "--check"],
      ]) {
        const run = await mcphost(...asked, "--env", "KEY=s3cr3t-1", ...flags, ...words).run();
        expect(run.stdout + run.stderr).not.toContain("s3cr3t");
      }
  });

  test.each([
    [
      "a text that is no JSON",
      ["--config-json", '{"mcpServers":{"s":{"env":{"A":"s3cr3t-1"} "x"}}'],
    ],
    [
      "a wrong type",
      [
        "--config-json",
        '{"mcpServers":{"s":{"command":"x","env":"A=s3cr3t-1","headers":["s3cr3t-2"]}}}',
      ],
    ],
    [
      "a wrong value",
      [
        "--config-json",
        '{"mcpServers":{"s":{"command":"x","env":{"A":["s3cr3t-1"]},"timeoutMs":"s3cr3t-2"}}}',
      ],
    ],
    [
      "an address that is none",
      ["--config-json", '{"mcpServers":{"s":{"url":"htp:/u:s3cr3t-1@x"}}}'],
    ],
    ["a spec that is none", ["-s", "x=TOKEN=s3cr3t-1"]],
    ["a spec of an address", ["-s", "x:http:u:s3cr3t-1@example"]],
    [
      "a header that is none",
      [
        "--config-json",
        '{"mcpServers":{"s":{"url":"http://x","headers":{"A":"s3cr3t-1\\ns3cr3t-2"}}}}',
      ],
    ],
    [
      "a variable with NUL",
      ["--config-json", '{"mcpServers":{"s":{"command":"x","env":{"A":"s3cr3t-1\\u0000"}}}}'],
    ],
    [
      "a variable with =",
      ["--config-json", '{"mcpServers":{"s":{"command":"x","env":{"A=B":"s3cr3t-1"}}}}'],
    ],
    ["an input that is none", ["-s", "x=cat", "--input", "s3cr3t-1"]],
  ])("nor in what is said of %s", async (_, words) => {
    for (const flags of [[], ["--log-level", "debug"], ["--json"]])
      for (const asked of [["tools"], ["servers"], ["doctor"]]) {
        const run = await mcphost(...asked, ...flags, ...words).run();
        expect(run.stdout + run.stderr).not.toContain("s3cr3t");
        expect(run.code).not.toBeNull();
      }
  });

  test("nor in any file that we leave behind", async () => {
    await using home = await tempDir();
    await Bun.write(home.file("c.json"), JSON.stringify(configOf("talks")));
    for (const words of [["tools"], ["call", "s.refuse"], ["doctor"], ["servers", "--check"]])
      await mcphost(...words, "-c", home.file("c.json"))
        .home(home.path)
        .env({ OUR_KEY: "s3cr3t-7" })
        .run();
    const files = new Bun.Glob("{config,state,cache}/**/*").scan({ cwd: home.path, dot: true });
    const texts: string[] = [];
    for await (const file of files) texts.push(await Bun.file(home.file(file)).text());
    expect(texts).not.toBeEmpty();
    for (const text of texts) expect(text).not.toContain("s3cr3t");
  });
});
