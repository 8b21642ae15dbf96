/**
 * `bun run conformance`: the official conformance suite for clients, one run a scenario and revision, by the running Bun.
 * Prints a line a run, what failed in it below that line, and last `N passed, M failed`; its exit status says the same.
 * Words on its command line choose scenarios.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Run {
  scenario: string;
  revision: string;
}

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  errorMessage?: string;
}

interface Result {
  isOk: boolean;
  passed: number;
  failed: Check[];
  /** What the suite and the client said. */
  said: string;
}

const scenarios = new Map([
  ["initialize", ["2025-11-25"]],
  ["tools_call", ["2025-11-25", "2026-07-28"]],
  ["elicitation-sep1034-client-defaults", ["2025-11-25"]],
  ["sse-retry", ["2025-11-25"]],
  ["request-metadata", ["2026-07-28"]],
  ["sep-2322-client-request-state", ["2026-07-28"]],
  ["http-standard-headers", ["2026-07-28"]],
  ["http-custom-headers", ["2026-07-28"]],
  ["http-invalid-tool-headers", ["2026-07-28"]],
  ["json-schema-ref-no-deref", ["2026-07-28"]],
  ["json-schema-2020-12-preservation", ["2025-11-25", "2026-07-28"]],
]);
const runs = Array.from(scenarios, ([scenario, revisions]) =>
  revisions.map((revision): Run => ({ scenario, revision })),
).flat();

const atOnce = 2;
const timeoutMs = 30_000;
const root = join(import.meta.dir, "../..");
const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

const wanted = process.argv.slice(2);
const chosen = runs.filter(({ scenario }) => wanted.length === 0 || wanted.includes(scenario));
const folder = await mkdtemp(join(tmpdir(), "mcphost-conformance-"));
try {
  const results = await sideBySide(chosen, examine);
  const passed = results.filter(({ isOk }) => isOk).length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  process.exitCode = passed === results.length && passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** A few at a time; each is told when it and those before it are done. */
async function sideBySide(items: Run[], work: (item: Run) => Promise<Result>): Promise<Result[]> {
  const slots = items.map((item) => ({ item, ...Promise.withResolvers<Result>() }));
  const rest = slots.values();
  const worker = async () => {
    for (const { item, resolve } of rest) resolve(await work(item));
  };
  const working = Promise.all(Array.from({ length: atOnce }, worker));
  for (const { item, promise } of slots) report(item, await promise);
  await working;
  return await Promise.all(slots.map(({ promise }) => promise));
}

async function examine({ scenario, revision }: Run): Promise<Result> {
  const out = join(folder, `${scenario}-${revision}`);
  const words = ["--scenario", scenario, "--spec-version", revision, "-o", out];
  await using child = Bun.spawn({
    // The suite hands the command to a shell, split at each space.
    cmd: [process.execPath, suite, "client", "--command", '"$BUN" "$CLIENT"', ...words],
    cwd: root,
    env: { ...process.env, BUN: process.execPath, CLIENT: join(import.meta.dir, "client.ts") },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeoutMs,
  });
  const said = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  const [file] = Array.from(new Bun.Glob("*/checks.json").scanSync(out));
  const checks = file === undefined ? [] : ((await Bun.file(join(out, file)).json()) as Check[]);
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const isOk = exitCode === 0 && failed.length === 0 && passed > 0;
  return { isOk, passed, failed, said: said.join("\n") };
}

function report({ scenario, revision }: Run, { isOk, passed, failed, said }: Result): void {
  console.log(`${isOk ? "ok" : "FAIL"} ${scenario} ${revision} ${passed}/${failed.length}`);
  if (isOk) return;
  for (const { id, status, errorMessage } of failed)
    console.log(`  ${status} ${id}${errorMessage === undefined ? "" : `: ${errorMessage}`}`);
  if (failed.length === 0) console.log(said.trim().replaceAll(/^/gm, "  "));
}
