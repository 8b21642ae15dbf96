/** What calls through `mcphost serve` cost, beside a bare proxy in front of the same server. */
import { join } from "node:path";

import { median } from "./measure.ts";
import type { Setup } from "./remote.ts";
import { ratio, type Row } from "./rows.ts";

/** Rows of each face at 1, 16 and 64 connections. */
export async function serving({ bun, dist, env }: Setup): Promise<Row[]> {
  const program = (name: string) => [...bun, join(import.meta.dir, name)];
  const server = program("server.ts");
  const serve = (config: object) =>
    start([
      ...bun,
      join(dist, "mcphost.js"),
      "serve",
      "--port=0",
      "--json",
      `--config-json=${JSON.stringify(config)}`,
      "--",
      ...server,
    ]);
  await using ours = await serve({ audit: false });
  await using audited = await serve({ audit: true });
  await using floor = await start([...program("serve-floor.ts"), ...server]);
  const rows: Row[] = [];
  for (const [face, what, target] of faces) {
    for (const connections of [1, 16, 64]) {
      const samples = await loaded(face, connections, ours.origin, floor.origin);
      const row = ratio(`${what}, ${connections} connections`, samples, rate, "calls/ms", target);
      rows.push({ ...row, atLeast: true });
      if (connections === 64)
        rows.push(ratio(`${what}, p99`, samples, ({ p99 }) => p99, "ms", 2.5));
    }
  }
  const samples = await loaded("tools", 64, audited.origin, ours.origin);
  const [what, target] = ["POST /tools with the audit log, 64 connections", 10];
  const row = ratio(what, samples, rate, "calls/ms", target);
  // What is asked for is a rate.
  rows.push({ ...row, value: median(samples.ours.map(rate)), atLeast: true });
  return rows;

  async function start(argv: string[]) {
    const child = Bun.spawn(argv, { env: env(), stdout: "pipe", stderr: "ignore" });
    const decoder = new TextDecoder();
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += decoder.decode(chunk, { stream: true });
      if (printed.includes("\n")) break;
    }
    const [origin] = /http:\/\/[\d.:]+/.exec(printed) ?? [];
    if (origin === undefined) throw new Error(`${argv.join(" ")} listens nowhere: ${printed}`);
    return {
      origin,
      async [Symbol.asyncDispose]() {
        child.kill();
        await child.exited;
      },
    };
  }

  async function loaded(face: string, connections: number, ...origins: [string, string]) {
    const argv = [...program("serve-load.ts"), face, String(connections), "9", ...origins];
    const child = Bun.spawn(argv, { env: env(), stdout: "pipe", stderr: "inherit" });
    const text = await child.stdout.text();
    if ((await child.exited) !== 0) throw new Error(`load on ${origins.join(" and ")} failed`);
    const [ofOurs = [], ofFloor = []] = JSON.parse(text) as Load[][];
    return { ours: ofOurs, floor: ofFloor };
  }
}

// --- internal ---

/** What they are called by the load, what they are called here, and how fast they are to be. */
const faces = [
  ["modern", "gateway, 2026-07-28", 0.75],
  ["legacy", "gateway, a session", 0.75],
  ["tools", "POST /tools", 0.6],
  ["tool", "POST /tools/NAME", 0.6],
] as const;

interface Load {
  calls: number;
  ms: number;
  p99: number;
}

function rate({ calls, ms }: Load): number {
  return calls / ms;
}
