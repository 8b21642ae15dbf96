/** Completion of prompts by the program: when a server is started for a value, and how long it is waited for. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, mcphost, root, type TempDir, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const starts = async (dir: TempDir) => {
  const text = await Bun.file(dir.file("started")).text();
  return text.split("\n").length - 1;
};

/** The program in a home of its own. */
function programAt(dir: TempDir) {
  return (...line: string[]) =>
    mcphost(...line)
      .home(dir.path)
      .run();
}

describe("the program", () => {
  const server = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts")];

  const [command = "", ...args] = server;

  /** A config that leaves a mark each time its server starts. */
  async function configured(dir: TempDir, name: string): Promise<string> {
    const script = `echo started >> ${dir.file("started")}; exec "$0" "$@"`;
    const file = dir.file(name);
    const entry = { command: "sh", args: ["-c", script, command, ...args] };
    await Bun.write(file, JSON.stringify({ mcpServers: { one: entry } }));
    return file;
  }

  test("names need no server; values start it, and are its own", async () => {
    await using dir = await tempDir();
    const file = await configured(dir, "named.json");
    const run = programAt(dir);
    const ask = async (...line: string[]) => {
      const { code, stdout, stderr } = await run("completion", "zsh", "--", ...line);
      expect([code, stderr]).toEqual([0, ""]);
      return stdout
        .split("\n")
        .slice(1, -1)
        .map((one) => one.split("\t", 1)[0]);
    };
    expect((await run("prompts", "-c", file)).code).toBe(0);
    expect((await run("resources", "-c", file)).code).toBe(0);
    const before = await starts(dir);
    expect(await ask("prompt", "-c", file, "gr")).toEqual(["greet"]);
    expect(await ask("prompts", "-c", file, "p")).toEqual(["plain"]);
    expect(await ask("prompt", "-c", file, "greet", "")).toEqual(["name=", "style="]);
    expect(await ask("read", "-c", file, "blob")).toEqual(["blob://pixel"]);
    expect(await ask("resources", "-c", file, "as")).toEqual(["asks://name"]);
    expect(await starts(dir)).toBe(before);
    expect(await ask("prompt", "-c", file, "greet", "style=fo")).toEqual(["style=formal"]);
    expect(await ask("prompt", "-c", file, "greet", "style=formal", "name=")).toEqual([
      "name=Ms Ada",
    ]);
    expect(await ask("read", "-c", file, "note://th")).toEqual(["note://three"]);
    expect(await starts(dir)).toBe(before + 3);
  });

  test("what is found and not trusted is not started for a value, not even with --trust on the line", async () => {
    await using dir = await tempDir();
    await configured(dir, "mcphost.json");
    const run = (...line: string[]) =>
      mcphost(...line)
        .home(dir.path)
        .cwd(dir.path)
        .run();
    expect((await run("prompts", "--trust")).code).toBe(0);
    const before = await starts(dir);
    for (const flags of [[], ["--trust"]]) {
      const { code, stdout, stderr } = await run(
        "completion",
        "zsh",
        "--",
        "prompt",
        ...flags,
        "greet",
        "style=",
      );
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "words\n", stderr: "" });
    }
    expect(await starts(dir)).toBe(before);
  });

  test("a server that is slow to start holds nobody up", async () => {
    await using dir = await tempDir();
    const file = await configured(dir, "named.json");
    const run = programAt(dir);
    expect((await run("prompts", "-c", file)).code).toBe(0);
    // The same entry, whose program does not come up any more.
    const path = dir.file("bin");
    await Bun.write(`${path}/sh`, "#!/bin/sh\nexec /bin/sleep 30\n");
    await Bun.$`chmod 755 ${path}/sh`.quiet();
    const { code, stdout, ms } = await mcphost(
      "completion",
      "zsh",
      "--",
      "prompt",
      "-c",
      file,
      "greet",
      "style=",
    )
      .home(dir.path)
      .env({ PATH: `${path}:${process.env["PATH"]}` })
      .run();
    expect({ code, stdout }).toEqual({ code: 0, stdout: "words\n" });
    expect(ms).toBeGreaterThan(1500);
    expect(ms).toBeLessThan(15_000);
  });
});
