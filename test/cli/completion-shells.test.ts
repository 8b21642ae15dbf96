/** The completion scripts, in the shells themselves. */
import { describe, expect, test } from "bun:test";
import { chmod, rm } from "node:fs/promises";

import { mcphost, sourceProgram, type TempDir, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

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
