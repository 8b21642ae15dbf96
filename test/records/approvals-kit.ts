/** Calls of a tool that is asked about, by the programs, and small ways to see what became of them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, mcphost, root, type TempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { type Program, serveProgram } from "../serve/program-kit.ts";

const server = ["--", ...bunAlone, join(root, "test/fixtures/records/counter.ts")];

/** The words that name the server, with the rule that asks about its tool. */
export const asking = ["--ask-tool", "count", ...server];

/** What is kept of a call, as `approvals --json` shows it. */
export interface Row {
  id: string;
  state: string;
  tool: string;
}

/** The program, at home in a folder. */
export const program = (home: TempDir, ...words: string[]) => mcphost(...words).home(home.path);

/** The calls that are kept there: those that wait, or what the flags ask for. */
export async function approvalsIn(home: TempDir, ...flags: string[]): Promise<Row[]> {
  const run = await program(home, "approvals", "--json", ...flags).run();
  return JSON.parse(run.stdout) as Row[];
}

/** The id of the one call that waits. */
export async function waiting(home: TempDir): Promise<string> {
  let rows: Row[] = [];
  await waitFor(
    async () =>
      (rows = (await approvalsIn(home)).filter(({ state }) => state === "pending")).length === 1,
    () => JSON.stringify(rows),
  );
  return rows[0]!.id;
}

/** How often the tool ran: each run leaves a line. */
export async function runs(home: TempDir): Promise<string[]> {
  const text = await readFile(home.file("runs"), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

/** Tells the server where each run leaves its line. */
export const env = (home: TempDir) => ["--env", `RUNS=${home.file("runs")}`];

/** The words after which each call of the tool is asked about. */
export const askAlways = (home: TempDir) => ["--ask-tool", "count", ...env(home), ...server];

/** A `serve` of these flags, at home in a folder. */
export async function serving(flags: (home: TempDir) => string[], home: TempDir): Promise<Program> {
  return await serveProgram(flags(home), {
    HOME: home.path,
    XDG_STATE_HOME: home.file("state"),
    XDG_CONFIG_HOME: home.file("config"),
  });
}

/** A POST of JSON. */
export function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** The header that lets us decide. */
export const keyOf = async ({ keyFile }: Program) => ({
  authorization: `Bearer ${(await readFile(keyFile, "utf8")).trim()}`,
});

/** Without the rule that asks. */
export const plain = (home: TempDir) => stepServer(home).slice(0, 2);

/** A config of the server under the name `one`, with the rule that asks; `more` is written into its entry. */
export const stepServer = (home: TempDir, more: object = {}) => {
  const [command, ...rest] = bunAlone;
  const args = [...rest, join(root, "test/fixtures/records/counter.ts")];
  const entry = {
    command,
    args,
    env: { RUNS: home.file("runs") },
    ...more,
  };
  return ["--config-json", JSON.stringify({ mcpServers: { one: entry } }), "--ask-tool", "count"];
};
