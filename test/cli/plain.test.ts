import { expect, test } from "bun:test";
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";
import { liveProcesses, waitFor } from "../processes.ts";

const staged = join(root, "test/fixtures/servers/staged.ts");

/** What a server got: the method of each request with its id, in order; notifications without one. */
async function heard(file: string): Promise<string[]> {
  const lines = (await Bun.file(file).text()).trim().split("\n");
  return lines.map((line) => {
    const { id, method, result } = JSON.parse(line);
    return `${method ?? `answer ${JSON.stringify(result)}`}${id === undefined ? "" : ` ${id}`}`;
  });
}

function call(home: TempDir, argv: string[], ...flags: string[]) {
  return mcphost("call", "echo", "message=hi", ...flags, "--", ...bunAlone, ...argv).home(
    home.path,
  );
}

const sent = {
  legacy: {
    unknown: [
      "server/discover 1",
      "initialize 2",
      "notifications/initialized",
      "logging/setLevel 3",
      "tools/list 4",
      "tools/call 5",
    ],
    known: [
      "initialize 1",
      "notifications/initialized",
      "logging/setLevel 2",
      "tools/list 3",
      "tools/call 4",
    ],
  },
  modern: {
    unknown: ["server/discover 1", "tools/list 2", "tools/call 3"],
    known: ["server/discover 1", "tools/list 2", "tools/call 3"],
  },
};
const stages = {
  legacy: [
    "server/discover",
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
  ],
  modern: ["server/discover", "tools/list", "tools/call"],
};
const oddities =
  "nothing,noise,progress,log,ping,stderr,slow,big,cut,ping behind,noise behind".split(",");

for (const era of ["legacy", "modern"] as const)
  for (const stage of stages[era])
    test.concurrent.each(oddities)(
      `${era}, %s before ${stage}: each is sent once, whoever goes on`,
      async (what) => {
        await using home = await tempDir();
        for (const known of ["unknown", "known"] as const) {
          const file = home.file(known);
          const run = await call(home, [staged, home.file("same"), era, stage, what]).run();
          await Bun.write(file, Bun.file(home.file("same")));
          await Bun.file(home.file("same")).delete();
          const { code, stdout } = run;
          expect({ code, stdout }).toEqual({ code: 0, stdout: "é hi\n" });
          const got = (await heard(file)).filter((line) => !line.startsWith("answer"));
          expect(got).toEqual(sent[era][known]);
        }
        await waitFor(async () => (await liveProcesses(home.path)).length === 0);
      },
    );

test("what is said is what the host says, byte for byte", async () => {
  for (const era of ["legacy", "modern"]) {
    await using home = await tempDir();
    await using other = await tempDir();
    for (const what of ["unknown", "known"]) {
      const argv = [staged, home.file("heard"), era, "none", what];
      expectRun(await call(home, argv).run(), { stdout: "é hi\n" });
      // The flag makes it a call of the host's.
      expectRun(await call(other, argv, "--no-user-config").run(), { stdout: "é hi\n" });
      const lines = (await Bun.file(home.file("heard")).text()).trim().split("\n");
      expect(lines.slice(0, lines.length / 2)).toEqual(lines.slice(lines.length / 2));
      await Bun.file(home.file("heard")).delete();
    }
  }
});

test("a rule in the user's own config holds", async () => {
  await using home = await tempDir();
  await mkdir(home.file("config", "mcphost"), { recursive: true });
  const rule = { policy: [{ tools: "echo", do: "deny" }] };
  await Bun.write(home.file("config", "mcphost", "config.json"), JSON.stringify(rule));
  const argv = [staged, home.file("heard"), "legacy", "none", "none"];
  expectRun(await call(home, argv).run(), { code: 5, stderr: /denied/ });
  expect(
    (await heard(home.file("heard"))).some((line) => line.startsWith("tools/call")),
  ).toBeFalse();
});

test("a list that is kept is used", async () => {
  await using home = await tempDir();
  const argv = [staged, home.file("heard"), "modern", "none", "none"];
  await mkdir(home.file("cache", "mcphost", "lists"), { recursive: true });
  await appendFile(home.file("cache", "mcphost", "lists", "other.json"), "{}");
  for (let run = 0; run < 2; run += 1)
    expectRun(await call(home, argv).run(), { stdout: "é hi\n" });
});

test.each([
  ["echo", "1.5", "message:=1", /message/, 2],
  ["nope", "", "message=hi", /nope/, 2],
])("what does not fit is told of: %s", async (tool, _text, argument, stderr, code) => {
  await using home = await tempDir();
  const argv = [staged, home.file("heard"), "legacy", "none", "none"];
  const run = await mcphost("call", tool, argument, "--", ...bunAlone, ...argv)
    .home(home.path)
    .run();
  expectRun(run, { code, stderr });
  const lists = (await heard(home.file("heard"))).filter((line) => line.startsWith("tools/list"));
  expect(lists).toHaveLength(1);
});

test.each([
  ["initialize", 3],
  ["tools/list", 3],
  ["tools/call", 6],
] as const)(
  "a server that ends at %s: what is uncertain is told as that (%p)",
  async (stage, code) => {
    await using home = await tempDir();
    for (const what of ["none", "crash", "crash", "crash"]) {
      const run = await call(home, [staged, home.file("heard"), "legacy", stage, what]).run();
      expectRun(run, what === "none" ? { stdout: "é hi\n" } : { code, stderr: /code 7/ });
    }
    const calls = (await heard(home.file("heard"))).filter((line) => line.startsWith("tools/call"));
    expect(calls).toHaveLength(stage === "tools/call" ? 4 : 1);
  },
);
