/**
 * `bun run conformance:server`: the official conformance suite for servers against the gateway, in front of a fixture server of
 * each era by the official SDKs, and one of our own for tasks: at `/mcp/SERVER`, and at `/mcp` with names left as they are.
 * Prints a line a run, what failed in it below that line, and last `N passed, M failed`; its exit status says the same. Words on its command line choose scenarios.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sets } from "./server-sets.ts";

interface Run {
  scenario: string;
  revision: string;
  path: string;
}

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  errorMessage?: string;
}

const timeoutMs = 60_000;
/** Scenarios at a time. */
const lanes = 3;
const root = join(import.meta.dir, "../..");
const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const bun = [process.execPath, "--no-env-file", "--no-install", "--config=/dev/null"];

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "mcphost-conformance-"));
try {
  let passed = 0;
  let failed = 0;
  for (const { revision, server, scenarios } of sets) {
    const chosen = scenarios.filter((name) => wanted.length === 0 || wanted.includes(name));
    if (chosen.length === 0) continue;
    await using gateway = serveGateway(server);
    const url = await gateway.url;
    const runs = chosen.flatMap((scenario) =>
      [`/mcp/${server}`, "/mcp"].map((path): Run => ({ scenario, revision, path })),
    );
    const lane = async () => {
      for (let run = runs.shift(); run !== undefined; run = runs.shift())
        if (await examine(run, url)) passed += 1;
        else failed += 1;
    };
    // Most of each is the start of the suite's own process.
    await Promise.all(Array.from({ length: lanes }, lane));
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function serveGateway(name: string) {
  const args = [join(import.meta.dir, `server/${name}.ts`)];
  const server = { command: process.execPath, args, prefix: "" };
  const config = JSON.stringify({ mcpServers: { [name]: server } });
  const child = Bun.spawn({
    cmd: [
      ...bun,
      join(root, "mcphost.ts"),
      "serve",
      "--port",
      "0",
      "--json",
      "--config-json",
      config,
    ],
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const url = (async () => {
    for await (const chunk of child.stdout) {
      const [found] = /https?:\/\/[^"\s]+/.exec(new TextDecoder().decode(chunk)) ?? [];
      if (found !== undefined) return found.replace(/\/$/, "").replace("127.0.0.1", "localhost");
    }
    throw new Error("serve ended before it listened");
  })();
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function examine({ scenario, revision, path }: Run, url: string): Promise<boolean> {
  const out = join(folder, `${scenario}-${revision}${path.replaceAll("/", "-")}`);
  const words = [
    "--url",
    `${url}${path}`,
    "--scenario",
    scenario,
    "--spec-version",
    revision,
    // What is of an extension is on no revision's list.
    "--force",
    "-o",
    out,
  ];
  await using child = Bun.spawn({
    cmd: [process.execPath, suite, "server", ...words],
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeoutMs,
  });
  const said = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  const [file] = Array.from(new Bun.Glob("**/checks.json").scanSync(out));
  const checks = file === undefined ? [] : ((await Bun.file(join(out, file)).json()) as Check[]);
  const good = checks.filter(({ status }) => status === "SUCCESS").length;
  const failed = checks.filter(({ status }) => status === "FAILURE");
  const warned = checks.filter(({ status }) => status === "WARNING");
  const isOk = failed.length === 0 && good > 0;
  console.log(`${isOk ? "ok" : "FAIL"} ${scenario} ${revision} ${path} ${good}/${failed.length}`);
  for (const { id, status, errorMessage } of [...failed, ...warned])
    console.log(`  ${status} ${id}${errorMessage === undefined ? "" : `: ${errorMessage}`}`);
  if (!isOk && failed.length === 0) console.log(said.join("\n").trim().replaceAll(/^/gm, "  "));
  return isOk;
}
