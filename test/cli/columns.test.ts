/** Lists and help on a terminal of 80 columns, where nothing is wider, and in a pipe, where nothing is cut. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { commands } from "../../lib/cli/table.ts";
import { bunAlone, type Invocation, mcphost, root, type Screen, tempDir } from "../harness.ts";
import { many, manyServer } from "./kit.ts";

setDefaultTimeout(30_000);

async function linesOf(screen: Screen): Promise<string[]> {
  await screen.exited;
  return Bun.stripANSI(screen.text()).split("\r\n");
}

/** Checks the width, and gives the text with its lines joined again. */
async function fitting(invocation: Invocation): Promise<string> {
  await using screen = await invocation.terminal();
  const lines = await linesOf(screen);
  for (const line of lines)
    expect([line, Bun.stringWidth(line) <= 80 || line.startsWith("  mcphost ")]).toEqual([
      line,
      true,
    ]);
  return lines.join(" ").replaceAll(/\s+/g, " ");
}

describe.concurrent("80 columns", () => {
  test("tools: signatures wrapped, descriptions cut", async () => {
    const text = await fitting(many("tools"));
    expect(text).toContain(
      "args(pin?: string, n?: integer, flag?: boolean, list?: number[], target",
    );
    expect((await many("tools").run()).stdout.split("\n")[1]).toBe(
      'args(pin?: string, n?: integer, flag?: boolean, list?: number[], target?: object, color?: "red" | "green")',
    );
  });

  test("tools: one explained, but for the command to copy, and rules", async () => {
    expect(await fitting(many("tools", "args"))).toContain("Example: mcphost call args -- ");
    const rule = `*${"?".repeat(70)}args*`.replaceAll("?", "*");
    expect(await fitting(many("tools", "args", "--policy", "--deny-tool", rule))).toContain(rule);
  });

  test("resources and prompts: URIs and signatures, descriptions cut", async () => {
    const server = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts")];
    const on = (...words: string[]) => mcphost(...words, "--", ...server);
    expect(await fitting(on("resources"))).toContain("count://{from}/{to} # count: Numbers");
    expect(await fitting(on("prompts"))).toContain("greet(name, style?) # A greeting in a style");
    expect(await fitting(on("prompts", "greet"))).toContain(
      "Arguments: name (required) Whom style",
    );
  });

  test("servers: the end of the path is what is left of it, instructions are wrapped", async () => {
    await using dir = await tempDir();
    const file = dir.file("a-folder-of-a-long-name", "another-folder-of-a-long-name", "c.json");
    const [command, ...args] = manyServer;
    await Bun.write(file, JSON.stringify({ mcpServers: { one: { command, args } } }));
    expect(await fitting(mcphost("servers", "-c", file))).toMatch(/ …\S*\/c\.json /);
    expect((await mcphost("servers", "-c", file).run()).stdout).toContain(` ${file}\n`);
  });

  test("doctor", async () => {
    const silent = [...bunAlone, "-e", `console.error("${"said ".repeat(40)}")`];
    const text = await fitting(mcphost("doctor", "--", ...silent));
    expect(text).toContain("said ".repeat(40).trim());
  });

  test.each(Object.keys(commands))("%s --help", async (command) => {
    expect(await fitting(mcphost(command, "--help"))).toContain(`USAGE mcphost ${command} `);
  });

  test("the list of commands", async () => {
    expect(await fitting(mcphost("--help"))).toContain("USAGE mcphost COMMAND ");
  });
});
