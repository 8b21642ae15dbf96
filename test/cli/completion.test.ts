import { describe, expect, test } from "bun:test";
import { chmod, mkdir, rm } from "node:fs/promises";

import { rendered, scripts } from "../../lib/cli/completion-scripts.ts";
import { filledIn, keptOf, splitLine, wordsOf } from "../../lib/cli/completion-words.ts";
import { complete, type World } from "../../lib/cli/completion.ts";
import { recalledTools, rememberTools } from "../../lib/cli/tool-cache.ts";
import type { FlagTable } from "../../lib/cli/types.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { expectRun, mcphost, root, sourceProgram, type TempDir, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

const common: FlagTable = {
  server: { type: "string", alias: ["s", "mcp-server"], description: "a server", repeat: true },
  config: { type: "string", alias: ["c"], valueHint: "FILE", description: "a file", repeat: true },
  "log-level": { type: "string", valueHint: "LEVEL", description: "what is shown" },
  json: { type: "boolean", description: "JSON" },
  actor: { type: "string", valueHint: "ACTOR", description: "of whom" },
  outcome: { type: "string", valueHint: "OUTCOME", description: "which" },
};

const schema = {
  properties: {
    mode: { enum: ["fast", "slow one", "@home"] },
    path: { type: "string", description: "Where\n  it is" },
    deep: { type: "boolean" },
    level: { anyOf: [{ const: 1 }, { enum: [2, null] }] },
    size: { type: "integer" },
  },
  required: ["path"],
};

const done = async () => 0;

const world: World = {
  common,
  commands: async () => [
    { name: "call", description: "one call" },
    { name: "completion", description: "scripts" },
    { name: "doctor", description: "what is wrong" },
  ],
  async command(name) {
    const usage = {
      call: "TOOL [ARG…]",
      doctor: "[SERVER…]",
      log: "[-f]",
      tee: "FILE -- COMMAND…",
      task: "[ID] [-- COMMAND…]",
      approvals: "[show|approve ID]",
    }[name];
    if (usage === undefined) return undefined;
    return { name, usage, flags: common, description: "", example: "", run: done };
  },
  servers: async () => ["fs", "git"],
  tools: async () => [
    { name: "fs_read", server: "fs", tool: "read", description: "Reads\nall", inputSchema: schema },
    { name: "$(touch x)", tool: "evil", inputSchema: {} },
    { name: "red\u001b[31m", tool: "escape", inputSchema: {} },
    { name: "two\nlines", tool: "lines", inputSchema: {} },
  ],
  prompts: async () => [],
  resources: async () => [],
  ids: async (command, { positionals }) => [
    { word: `${[command, ...positionals].join("-")}-786512e2` },
  ],
  suggest: () => async () => [],
};

async function offers(line: string): Promise<string[] | "files"> {
  const found = await complete(splitLine(line).slice(1), world);
  return Array.isArray(found) ? found.map(({ word }) => word) : "files";
}

/** What bash is to put in the place of `part`. */
function behind(line: string, part: string, word: string): string | undefined {
  return rendered("bash", [{ word }], keptOf(line, part)).split("\n")[1];
}

describe("what can stand at the cursor", () => {
  test("commands and flags", async () => {
    expect(await offers("m ")).toEqual(["call", "completion", "doctor"]);
    expect(await offers("m c")).toEqual(["call", "completion"]);
    expect(await offers("m --json -s 'x y' d")).toEqual(["doctor"]);
    expect(await offers("m call --lo")).toEqual(["--log-level"]);
    expect(await offers("m call --mcp")).toEqual(["--mcp-server"]);
    expect(await offers("m call --s")).toEqual(["--server"]);
    expect(await offers("m nonsense ")).toEqual([]);
    expect(await offers("m help c")).toEqual(["call", "completion"]);
  });

  test("values of flags", async () => {
    expect(await offers("m --log-level ")).toEqual(["debug", "info", "warn", "error"]);
    expect(await offers("m call --log-level=w")).toEqual(["--log-level=warn"]);
    expect(await offers("m log --actor=m")).toEqual(["--actor=model"]);
    expect(await offers("m log --outcome un")).toEqual(["uncertain"]);
    expect(await offers("m call --json=")).toEqual(["--json=true", "--json=false"]);
    expect(await offers("m call -c ")).toBe("files");
    expect(await offers("m call --config=x")).toBe("files");
    expect(await complete(["call", "--config=x"], world)).toEqual({ filesBehind: "--config=" });
    expect(await complete(["call", "fs_read", "a:=@x"], world)).toEqual({ filesBehind: "a:=@" });
    expect(await offers("m call -s ")).toEqual([]);
  });

  test("servers, tools, files, and nothing of the servers' own command lines", async () => {
    expect(await offers("m doctor ")).toEqual(["fs", "git"]);
    expect(await offers("m doctor fs g")).toEqual(["git"]);
    expect(await offers("m call ")).toEqual(["fs_read", "$(touch x)"]);
    expect(await offers("m call rea")).toEqual(["read"]);
    expect(await offers("m call fs.")).toEqual(["fs.read"]);
    expect(await offers("m call fs/r")).toEqual(["fs/read"]);
    expect(await offers("m tee ")).toBe("files");
    expect(await offers("m tee file ")).toEqual([]);
    expect(await offers("m call x -- np")).toBe("files");
    expect(await offers("m task ")).toEqual(["task-786512e2"]);
    expect(await offers("m task 786512e2 ")).toEqual([]);
    expect(await offers("m approvals ")).toEqual(["show", "approve"]);
    expect(await offers("m approvals show ")).toEqual(["approvals-show-786512e2"]);
    expect(await offers("m approvals show 786512e2 ")).toEqual([]);
  });

  test("arguments: required first, none twice, and the values that the schema names", async () => {
    const all = ["path=", "mode=", "deep=", "level=", "size="];
    expect(await offers("m call fs_read ")).toEqual(all);
    for (const name of ["read", "fs.read", "fs/read"])
      expect(await offers(`m call ${name} `)).toEqual(all);
    expect(await offers("m call fs_read path=x deep:=true ")).toEqual(["mode=", "level=", "size="]);
    expect(await offers("m call fs_read mode=")).toEqual([
      "mode=fast",
      "mode=slow one",
      "mode=@@home",
    ]);
    expect(await offers("m call fs_read mode:=f")).toEqual([]);
    expect(await offers('m call fs_read mode:=\\"f')).toEqual(['mode:="fast"']);
    expect(await offers("m call fs_read deep=t")).toEqual(["deep=true"]);
    expect(await offers("m call fs_read level=")).toEqual(["level=1", "level=2", "level=null"]);
    expect(await offers("m call fs_read path=@RE")).toBe("files");
    expect(await offers("m call fs_read constructor=")).toEqual([]);
    expect(await offers("m call unknown ")).toEqual([]);
  });

  test("descriptions are one line, and say what is required", async () => {
    const found = await complete(["call", "fs_read", "pa"], world);
    expect(found).toEqual([{ word: "path=", description: "required: Where it is" }]);
  });

  test("a line is cut as a shell would, an open quote forgiven", () => {
    expect(splitLine("m  a\\ b 'c d'e \"f\\\"\" ''")).toEqual(["m", "a b", "c de", 'f"', ""]);
    expect(splitLine("m 'a b")).toEqual(["m", "a b"]);
    expect(splitLine("m ")).toEqual(["m", ""]);
    expect(splitLine("")).toEqual([""]);
  });

  test("~ and variables are filled in as a shell would, but not where the cursor is", () => {
    const env = { HOME: "/h", DIR: "a b" };
    const line = 'm -c ~/x $DIR/y "${DIR}z" \'$DIR\' \\$DIR a~ ~x "~/q" $NONE. $1 ~ ~/cur';
    expect(wordsOf(line, env)).toEqual([
      "m",
      "-c",
      "/h/x",
      "a b/y",
      "a bz",
      "$DIR",
      "$DIR",
      "a~",
      "~x",
      "~/q",
      ".",
      "$1",
      "/h",
      "~/cur",
    ]);
    expect(["~/x", "--config=$DIR/y", "${HOME}", "a~"].map((word) => filledIn(word, env))).toEqual([
      "/h/x",
      "--config=a b/y",
      "/h",
      "a~",
    ]);
  });

  test("for bash a word is escaped, since bash inserts it as it is", () => {
    const text = rendered("bash", [{ word: "$(touch x)" }, { word: "a=" }, { word: "é!" }]);
    expect(text).toBe("words\n\\$\\(touch\\ x\\) \na=\né\\! \n");
    expect(behind("m a=b\\ c", "b\\ c", "a=b c d")).toBe("b\\ c\\ d ");
    expect(behind("m a='b c", "b c", "a=b c'$d")).toBe("b c'\\''$d");
    expect(behind("m 'a=b", "a=b", "a=b c")).toBe("a=b c");
    expect(behind('m "b', "b", 'b"$c`')).toBe('b\\"\\$c\\`');
    expect(behind("m a\\ b=", "", "a b=c")).toBe("c ");
    expect(rendered("fish", [{ word: "a", description: "b" }])).toBe("words\na\tb\n");
    expect(rendered("zsh", { filesBehind: "key=@" })).toBe("files\nkey=@\n");
  });
});

const server: ServerConfig = {
  name: "fs",
  kind: "stdio",
  command: "server",
  args: [],
  env: {},
  origin: { label: "x", kind: "user" },
  written: { command: "server" },
  protocol: "auto",
  lifecycle: "lazy",
};

describe("the lists of tools that completion knows", () => {
  const tool = { name: "fs_read", server: "fs", tool: "read", inputSchema: schema };

  test("are kept by the entry as written, for our user alone", async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: dir.path };
    expect(await recalledTools(env, server)).toBeUndefined();
    await rememberTools(env, server, [tool]);
    expect(await recalledTools(env, server)).toEqual([
      { name: "fs_read", tool: "read", inputSchema: schema },
    ]);
    const moved = { ...server, origin: { label: "y", kind: "named" as const } };
    expect(await recalledTools(env, moved)).toHaveLength(1);
    expect(await recalledTools(env, { ...server, args: ["x"] })).toBeUndefined();
    const { stat, readdir } = await import("node:fs/promises");
    const [file = ""] = await readdir(dir.file("mcphost", "tools"));
    expect((await stat(dir.file("mcphost", "tools"))).mode & 0o777).toBe(0o700);
    expect((await stat(dir.file("mcphost", "tools", file))).mode & 0o777).toBe(0o600);
  });

  test("are just not there when they are broken, too large, or have no place", async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: dir.path };
    await rememberTools({}, server, [tool]);
    expect(await recalledTools({}, server)).toBeUndefined();
    const huge = { ...tool, inputSchema: { properties: { a: { title: "x".repeat(5_000_000) } } } };
    await rememberTools(env, server, [huge]);
    expect(await recalledTools(env, server)).toBeUndefined();
    await rememberTools(env, server, [tool]);
    const { readdir } = await import("node:fs/promises");
    const [file = ""] = await readdir(dir.file("mcphost", "tools"));
    for (const text of ["{", "[]", '{"tools":[1,{"name":"x"}]}']) {
      await Bun.write(dir.file("mcphost", "tools", file), text);
      expect((await recalledTools(env, server)) ?? []).toEqual([]);
    }
    await using blocked = await tempDir();
    await Bun.write(blocked.file("mcphost"), "a file where a folder belongs");
    await rememberTools({ XDG_CACHE_HOME: blocked.path }, server, [tool]);
  });

  test("the oldest go when there are too many", async () => {
    await using dir = await tempDir();
    const folder = dir.file("mcphost", "tools");
    await mkdir(folder, { recursive: true });
    const { readdir, utimes } = await import("node:fs/promises");
    for (let i = 0; i < 205; i++) {
      await Bun.write(`${folder}/${fileOf(i)}`, "{}");
      await utimes(`${folder}/${fileOf(i)}`, i, i);
    }
    await rememberTools({ XDG_CACHE_HOME: dir.path }, server, [tool]);
    const left = await readdir(folder);
    expect(left).toHaveLength(200);
    expect(left).not.toContain(fileOf(0));
    expect(left).toContain(fileOf(204));
  });
});

function fileOf(number: number): string {
  return `${String(number).padStart(32, "0")}.json`;
}

const guide = new URL("../fixtures/cli/guide.ts", import.meta.url).pathname;

/**
 * A folder with a project whose tools were listed once, and a `mcphost` that completes as ours does and writes down the
 * arguments of everything else that it is asked to do.
 */
async function playground(): Promise<TempDir> {
  const dir = await tempDir();
  const mcpServers = { guide: { command: process.execPath, args: [guide] } };
  await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers }));
  await Bun.write(dir.file("a file.txt"), "");
  await Bun.write(
    dir.file("mcphost"),
    `#!/bin/sh
[ "$1" = completion ] && exec ${sourceProgram.map((word) => `'${word}'`).join(" ")} "$@"
for word; do printf '%s\\n' "$word"; done >'${dir.file("argv.tmp")}'
mv '${dir.file("argv.tmp")}' '${dir.file("argv")}'
`,
  );
  await Bun.write(dir.file("a-server"), "#!/bin/sh\n");
  for (const program of ["mcphost", "a-server"]) await chmod(dir.file(program), 0o755);
  const listed = await mcphost("doctor", "-c", "c.json").home(dir.path).cwd(dir.path).run();
  expect(listed.code).toBe(0);
  return dir;
}

function environment(dir: TempDir) {
  return {
    PATH: `${dir.path}:${process.env["PATH"]}`,
    HOME: dir.path,
    XDG_CACHE_HOME: dir.file("cache"),
    XDG_CONFIG_HOME: dir.file("config"),
    TERM: "xterm",
    MCPHOST_CONFIG: dir.file("c.json"),
  };
}

const sessions = {
  bash: {
    argv: ["bash", "--norc", "--noprofile", "-i"],
    setup: 'eval "$(mcphost completion bash)"',
  },
  zsh: {
    argv: ["zsh", "-f", "-i"],
    setup: 'autoload -Uz compinit; compinit -u -d "$HOME/dump"; eval "$(mcphost completion zsh)"',
  },
  fish: { argv: ["fish", "--no-config", "-i"], setup: "mcphost completion fish | source" },
};

describe("the scripts, in the shells themselves", () => {
  test.each(["bash", "zsh", "fish"] as const)(
    "%s: Tab completes, and what is run is what was offered",
    async (shell) => {
      if (!Bun.which(shell)) return console.warn(`skipped: ${shell} is not installed`);
      const { argv, setup } = sessions[shell];
      await using dir = await playground();
      let screen = "";
      const proc = Bun.spawn(argv, {
        cwd: dir.path,
        env: environment(dir),
        terminal: { cols: 120, rows: 30, data: (_, bytes) => void (screen += bytes) },
      });
      try {
        const type = (keys: string) => void proc.terminal?.write(keys);
        const shows = (text: string) =>
          waitFor(() => screen.includes(text), `${text} in ${screen}`);
        const ran = async () => {
          type("\r");
          await waitFor(() => Bun.file(dir.file("argv")).exists(), `a command to run: ${screen}`);
          const text = await Bun.file(dir.file("argv")).text();
          await rm(dir.file("argv"));
          return text.split("\n").slice(0, -1);
        };
        type(`${setup}; echo "rea""dy"\r`);
        await shows("ready");
        for (const [keys, shown] of [
          ["mcphost cal\t", "call"],
          ["rea\t", "read_it"],
          ["mo\t", "mode="],
        ])
          await Promise.all([type(keys!), shows(shown!)]);
        type("sl\t");
        await shows("one");
        expect(await ran()).toEqual(["call", "read_it", "mode=slow one"]);

        type("mcphost call sa\t");
        await shows("hacked");
        expect(await ran()).toEqual(["call", "say; touch hacked"]);
        expect(await Bun.file(dir.file("hacked")).exists()).toBe(false);

        type("mcphost -c c.j\t");
        await shows("c.json");
        expect(await ran()).toEqual(["-c", "c.json"]);
        type("mcphost -c ~/c.j\t");
        expect(await ran()).toEqual(["-c", dir.file("c.json")]);

        type("~/mcphost call rea\t");
        expect(await ran()).toEqual(["call", "read_it"]);

        // In open quotes, behind backslashes, and files whose names need either.
        type("mcphost call 'rea\t mode='slow o\t");
        expect(await ran()).toEqual(["call", "read_it", "mode=slow one"]);
        type("mcphost call read_it \"mode=slow o\t path=@a\\ f\t path=@'a f\t");
        expect(await ran()).toEqual([
          "call",
          "read_it",
          "mode=slow one",
          "path=@a file.txt",
          "path=@a file.txt",
        ]);
        type("mcphost --config=c.j\t call rea\t mode=slow\\ o\t --save=a\\ f\t");
        expect(await ran()).toEqual([
          "--config=c.json",
          "call",
          "read_it",
          "mode=slow one",
          "--save=a file.txt",
        ]);
        // What stands behind -- is a command, and its files.
        type("mcphost tools -- a-serv\t c.j\t");
        expect(await ran()).toEqual(["tools", "--", "a-server", "c.json"]);

        if (shell === "bash")
          for (const home of ["~", "$HOME"]) {
            type(`mcphost -c ${home}/c.j\tcall guide.rea\tmode=sl\t`);
            expect(await ran()).toEqual([
              "-c",
              dir.file("c.json"),
              "call",
              "guide.read_it",
              "mode=slow one",
            ]);
          }
      } finally {
        proc.kill("SIGKILL");
        await proc.exited;
        proc.terminal?.close();
      }
    },
    30_000,
  );

  test("bash: what is offered, word by word, without a terminal", async () => {
    if (!Bun.which("bash")) return console.warn("skipped: bash is not installed");
    await using dir = await playground();
    const offered = async (line: string, current: string) => {
      const script = `eval "$(mcphost completion bash)"; complete -p mcphost >&2
        COMP_LINE="$1" COMP_POINT=\${#1}; _mcphost mcphost "$2"; printf '<%s>' "\${COMPREPLY[@]}"`;
      const proc = Bun.spawn(["bash", "--norc", "-c", script, "bash", line, current], {
        cwd: dir.path,
        env: environment(dir),
        stderr: "pipe",
      });
      const [out, error] = [
        await new Response(proc.stdout).text(),
        await new Response(proc.stderr).text(),
      ];
      expect(error).toBe("complete -o nospace -F _mcphost mcphost\n");
      return out;
    };
    expect(await offered("mcphost call ", "")).toBe("<read_it ><say\\;\\ touch\\ hacked >");
    expect(await offered("mcphost call read_it mode=", "")).toBe("<fast ><slow\\ one >");
    expect(await offered("mcphost call read_it mode=s", "s")).toBe("<slow\\ one >");
    expect(await offered("mcphost call read_it deep:=", "")).toBe("<true ><false >");
    expect(await offered("mcphost call read_it path=@c.j", "@c.j")).toBe("<@c.json >");
    expect(await offered("mcphost doctor ", "")).toBe("<guide >");
    expect(await offered("mcphost --log-level=d", "d")).toBe("<debug >");
    expect(await offered("mcphost grants ", "")).toBe("<list ><revoke >");
    expect(await offered("mcphost call nonsense ", "")).toBe("<>");
    for (const file of ["~/c.json", "$HOME/c.json", '"${HOME}/c.json"'])
      expect(await offered(`mcphost -c ${file} call rea`, "rea")).toBe("<read_it >");
    expect(await offered("mcphost call guide.", "guide.")).toMatch(/^<guide.read_it ></);
    expect(await offered("mcphost call guide.read_it mode=s", "s")).toBe("<slow\\ one >");
    expect(await offered("mcphost -c ~/c.j", "~/c.j")).toBe("<~/c.json>");
    for (const home of ["$HOME", "${HOME}"])
      expect(await offered(`mcphost -c ${home}/c.j`, `${home}/c.j`)).toBe(
        `<${dir.file("c.json")}>`,
      );
  });
});

describe("completion", () => {
  test("prints a script for each shell, and names the shells otherwise", async () => {
    for (const shell of ["bash", "zsh", "fish"] as const)
      expectRun(await mcphost("completion", shell).run(), { stdout: scripts[shell] });
    for (const args of [[], ["tcsh"], ["bash", "zsh"]])
      expectRun(await mcphost("completion", ...args).run(), { code: 2, stderr: /bash, zsh, fish/ });
  });

  test("ids are those of calls that wait, and of grants; no store is made for them", async () => {
    await using dir = await tempDir();
    const offered = async (...words: string[]) => {
      const run = await mcphost("completion", "zsh", "--", ...words, "")
        .home(dir.path)
        .run();
      return run.stdout.split("\n").slice(1, -1);
    };
    expect(await offered("approvals", "approve")).toEqual([]);
    expect(await Bun.file(dir.file("state", "mcphost", "store.db")).exists()).toBe(false);
    const echo = [process.execPath, `${root}/examples/echo.ts`];
    await using waits = await mcphost(
      "call",
      "add",
      "a=1",
      "b=2",
      "--ask-tool",
      "*",
      "--wait-approval",
      "--",
      ...echo,
    )
      .home(dir.path)
      .start();
    const approve = () => offered("approvals", "approve");
    let ids: string[] = [];
    await waitFor(async () => (ids = await approve()).length === 1, "a call that waits");
    expect(ids[0]).toMatch(/^[\da-f]{8}\tserver\.add$/);
    expect(await offered("approvals", "acknowledge")).toEqual([]);
    const [id = ""] = ids[0]!.split("\t");
    await mcphost("approvals", "approve", id, "--always", "tool").home(dir.path).run();
    expect((await waits.done).stdout).toBe("3\n");
    expect(await approve()).toEqual([]);
    expect((await offered("grants", "revoke"))[0]).toMatch(/^[\da-f]{8}\t.*add/);
  });

  test("never complains in the middle of a line, and starts nothing", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("mcphost.json"), "{ broken");
    const ask = (...words: string[]) =>
      mcphost("completion", "zsh", "--", ...words)
        .cwd(dir.path)
        .run();
    for (const words of [
      ["call", ""],
      ["call", "-s", "touch started", ""],
      ["--nonsense", "x", ""],
      [],
    ])
      expect(await ask(...words)).toMatchObject({ code: 0, stderr: "" });
    expectRun(await ask("doc"), { stdout: /^words\ndoctor\t/ });
    expect(await Bun.file(dir.file("started")).exists()).toBe(false);
  });
});
