/**
 * The memory of `mcphost serve`: with three servers that rest, then behind calls through `/mcp` and `/tools`.
 *   bun test/bench/serve-memory.ts [CALLS]
 * Prints the resident size when idle, after a tenth of the calls, after each further 100,000, and after all of them
 * (100,000; 500000 takes minutes), each 3 s after the last call; ends with status 1 where that is over 60 MB idle, over
 * 110 MB, or grew from 100,000 on. A busy machine collects garbage later, and shows more.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "../build.ts";

const total = Number(Bun.argv[2] ?? 100_000);
const connections = 16;
const bun = [process.execPath, "--no-env-file", "--no-install", "--config=/dev/null"];
const server = [...bun, join(import.meta.dir, "server.ts")].join(" ");
const revision = "2026-07-28";
const modern = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const folder = await mkdtemp(join(tmpdir(), "mcphost-memory-"));

try {
  await build(join(folder, "dist"));
  const servers = ["a", "b", "c"].flatMap((name) => ["-s", `${name}=${server}`]);
  const argv = [...bun, join(folder, "dist/mcphost.js"), "serve", "--port=0", "--json", ...servers];
  const env = { PATH: process.env["PATH"], HOME: folder, XDG_CACHE_HOME: folder };
  const child = Bun.spawn(argv, { env, stdout: "pipe", stderr: "inherit" });
  try {
    const { value } = await child.stdout.getReader().read();
    await measure(JSON.parse(new TextDecoder().decode(value)).url, child.pid);
  } finally {
    child.kill();
    await child.exited;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

// --- internal ---

async function measure(url: string, pid: number): Promise<void> {
  const isIdle = async () => {
    const { servers } = (await (await fetch(`${url}/health`)).json()) as any;
    return servers.every(({ state, tools }: any) => state === "idle" && tools > 0);
  };
  while (!(await isIdle())) await Bun.sleep(100);
  const idle = await show("idle, three servers at rest", pid);
  const stops = new Set([total / 10, total]);
  for (let calls = 100_000; calls < total; calls += 100_000) stops.add(calls);
  let done = 0;
  let largest = 0;
  let first = 0;
  let last = 0;
  for (const stop of [...stops].toSorted((one, other) => one - other)) {
    const calls = stop - done;
    const from = done;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: connections }, async (_, at) => {
        for (let i = at; i < calls; i += connections) await call(url, from + i);
      }),
    );
    done = stop;
    const rate = Math.round((calls / (performance.now() - started)) * 1000);
    const now = await show(`after ${done.toLocaleString("en")} calls (${rate} a second)`, pid);
    largest = Math.max(largest, now);
    if (done >= 100_000) first ||= now;
    last = now;
  }
  if (idle > 60 || largest > 110 || last > first * 1.25) process.exitCode = 1;
}

/** Every other call goes the other way; each answer must be its own. */
async function call(url: string, index: number): Promise<void> {
  const message = `m${index}-`;
  const name = `${"abc"[index % 3]}_echo`;
  const isRest = index % 2 === 0;
  const params = { name, arguments: { message }, _meta: modern };
  const answer = await fetch(url + (isRest ? "/tools" : "/mcp"), {
    method: "POST",
    headers: { "content-type": "application/json", ...(!isRest && headersOf(name)) },
    body: JSON.stringify(
      isRest
        ? { tool: name, params: { message } }
        : { jsonrpc: "2.0", id: index, method: "tools/call", params },
    ),
  });
  const text = await answer.text();
  if (!text.includes(`"${message}"`)) throw new Error(`a wrong answer: ${text}`);
}

function headersOf(name: string): Record<string, string> {
  return {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    "mcp-method": "tools/call",
    "mcp-name": name,
  };
}

/** Prints the resident size of a process, at once and once it had time to give back what it does not need; gives that in MB. */
async function show(what: string, pid: number): Promise<number> {
  const atOnce = await residentMB(pid);
  await Bun.sleep(3000);
  const settled = await residentMB(pid);
  console.log(`${settled.toFixed(1).padStart(6)} MB (at once ${atOnce.toFixed(1)})  ${what}`);
  return settled;
}

async function residentMB(pid: number): Promise<number> {
  const ps = Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)], { stdout: "pipe" });
  return (Number(await ps.stdout.text()) * 1024) / 1e6;
}
