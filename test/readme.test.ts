/**
 * README.md says what is so: every command of its `console` blocks is run by the real program, in the order of its section,
 * and must print what stands below it. `…` stands for any text on a line, and alone on a line for any lines. A command that
 * fails must be followed by `echo $?`. A fence with a file name (`json ~/.cursor/mcp.json`) is a file that is written first.
 * Where the network, Docker or another machine would be needed, the programs of fixtures/bin stand in.
 */
import { expect, test } from "bun:test";
import { cp, mkdir, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

import { expectRun, mcphost, root, type TempDir, tempDir } from "./harness.ts";
import { nothingLeft } from "./processes.ts";

const readme = await Bun.file(join(root, "README.md")).text();
const sections = readme
  .split(/^(?=##+ )/m)
  .map((text) => ({ title: /^#+ (.*)/.exec(text)?.[1] ?? "", parts: partsOf(text) }))
  .filter(({ parts }) => parts.length > 0);

test.concurrent.each(sections)(
  "$title",
  async ({ parts }) => {
    await using dir = await tempDir();
    await clone(dir);
    for (const part of parts) if (part.kind === "file") await place(part, dir);
    const steps = parts.flatMap((part) => (part.kind === "console" ? part.steps : []));
    const run = await mcphost(session(steps))
      .program(["bash", "-c"])
      .cwd(dir.file("work"))
      .home(dir.file("home"))
      .env({
        PATH: [join(root, "test/fixtures/bin"), dir.path, process.env["PATH"]].join(delimiter),
      })
      .timeoutMs(90_000)
      .run();
    expectRun(run, { stdout: /^/ });
    const ran = readSession(run.stdout);
    for (const [at, { command, output }] of steps.entries()) {
      const { printed, code } = ran[at] ?? { printed: "(not run)", code: "" };
      const shown = matches(output, printed) ? output : printed;
      expect({ command, output: shown }).toEqual({ command, output });
      const next = steps[at + 1]?.command;
      if (code !== "0") expect({ command, code, next }).toEqual({ command, code, next: "echo $?" });
    }
    await nothingLeft(run.marker);
  },
  100_000,
);

test("scripts and files that are named are there", async () => {
  const { scripts } = await Bun.file(join(root, "package.json")).json();
  const named = [...readme.matchAll(/bun run ([a-z:]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, path]) => path!);
  for (const path of links)
    expect(`${path} ${await Bun.file(join(root, path)).exists()}`).toBe(`${path} true`);
});

test("the rooms that are drawn are the rooms that are there", async () => {
  const drawn = [...readme.matchAll(/^ \d {2}(.*)$/gm)].flatMap(([, row]) => row!.split(/ +/));
  const rooms = [...new Bun.Glob("*/*.ts").scanSync(join(root, "lib"))].map((file) =>
    dirname(file),
  );
  expect(drawn.toSorted()).toEqual([...new Set(rooms)].toSorted());
});

// --- internal ---

interface Step {
  command: string;
  /** What stands below it, as it is written. */
  output: string;
}

type Part = { kind: "console"; steps: Step[] } | { kind: "file"; name: string; text: string };

function partsOf(section: string): Part[] {
  const fences = section.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm);
  return [...fences].flatMap(([, language, name, text = ""]): Part[] => {
    if (language === "console") return [{ kind: "console", steps: stepsOf(text) }];
    return name === undefined ? [] : [{ kind: "file", name, text }];
  });
}

function stepsOf(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const end = step.indexOf("\n");
      return { command: step.slice(0, end), output: step.slice(end + 1) };
    });
}

/** What a reader has: a clone, a home, and the module installed. The heavy scripts behind `demo` and `all` do nothing. */
async function clone(dir: TempDir): Promise<void> {
  await mkdir(dir.file("home"));
  await cp(join(root, "examples"), dir.file("work", "examples"), { recursive: true });
  const { scripts } = await Bun.file(join(root, "package.json")).json();
  await Bun.write(dir.file("work", "package.json"), JSON.stringify({ scripts }));
  await symlink(join(root, "mcphost.ts"), dir.file("work", "mcphost.ts"));
  await Bun.write(dir.file("work", ".ci", "install"), "");
  await Bun.write(dir.file("work", ".ci", "run"), "echo; echo '1 passed, 0 failed'\n");
  const module = { name: "mcphost", type: "module", exports: "./mcphost.ts" };
  await Bun.write(dir.file("work/node_modules/mcphost/package.json"), JSON.stringify(module));
  await symlink(join(root, "mcphost.ts"), dir.file("work/node_modules/mcphost/mcphost.ts"));
  await symlink(process.execPath, dir.file("bun"));
}

async function place({ name, text }: Part & { kind: "file" }, dir: TempDir): Promise<void> {
  await Bun.write(dir.file(name.startsWith("~/") ? `home${name.slice(1)}` : `work/${name}`), text);
}

const mark = "\u0001";

/** One shell runs them all, so that `cd` and variables hold; behind each it says the exit status, and keeps it. */
function session(steps: readonly Step[]): string {
  const ended = `ended() { local code=$?; printf '${mark}%s\\n' "$code"; return "$code"; }`;
  const run = steps.map(({ command }) => `{ ${command}\n} </dev/null; ended`);
  return ["exec 2>&1", ended, ...run, "exit 0"].join("\n");
}

function readSession(text: string): { printed: string; code: string }[] {
  const [first = "", ...rest] = text.split(mark);
  let printed = first;
  return rest.map((piece) => {
    const end = piece.indexOf("\n");
    const step = { printed, code: piece.slice(0, end) };
    printed = piece.slice(end + 1);
    return step;
  });
}

/** Whether a command printed what is written; `…` is any text on a line, alone on a line any lines. */
function matches(written: string, printed: string): boolean {
  const pattern = written
    .split(/^(…\n)/m)
    .map((part) => (part === "…\n" ? "(?:.*\\n)*" : part.split("…").map(RegExp.escape).join(".*")))
    .join("");
  return new RegExp(`^${pattern}$`).test(printed);
}
