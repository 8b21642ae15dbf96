/**
 * `bun run bench`: what a call costs, beside the floor of doing it with nothing round it. Prints ratios with the absolute
 * figures beside them; `--assert` ends with status 1 where a ratio misses its target. Builds the bundle first.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "../build.ts";
import { liveProcesses } from "../processes.ts";
import { median, paired, peakMiB, sample } from "./measure.ts";
import { remote } from "./remote.ts";
import { met, print, ratio, type Row, wall } from "./rows.ts";
import { serving } from "./serve.ts";

const root = join(import.meta.dir, "..", "..");
const bun = [process.execPath, "--no-env-file", "--no-install", "--config=/dev/null"];
const server = [...bun, join(import.meta.dir, "server.ts")];
const folder = await mkdtemp(join(tmpdir(), "mcphost-bench-"));
const home = join(folder, "home");
/** As near to the root as the floor is: Bun reads the lists of all folders above what it starts. */
const dist = join(root, "dist");
const runs = 50;
const setup = { bun, dist, env };

try {
  await build(dist);
  const rows = [
    ...(await oneShot()),
    ...(await prompt()),
    ...(await loops()),
    ...(await remote(setup)),
    ...(await serving(setup)),
  ];
  print(rows);
  if (Bun.argv.includes("--assert") && !rows.every(met)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

// --- internal ---

/** The whole process of one call, against the floor on the same server. */
async function oneShot(): Promise<Row[]> {
  const bundle = [...bun, join(dist, "mcphost.js")];
  const source = [...bun, join(root, "mcphost.ts")];
  const call = ["call", "echo", "message=hello", "--", ...server];
  const bare = [...bun, join(import.meta.dir, "floor.ts"), "hello", ...server];
  const floor = () => sample(bare, env());
  let fresh = 0;
  const cold = () => {
    fresh += 1;
    return sample([...bundle, ...call], { ...env(), XDG_CACHE_HOME: join(home, `cold${fresh}`) });
  };

  const known = await paired(runs, () => sample([...bundle, ...call], env()), floor);
  const first = await paired(runs, cold, floor);
  const fromSource = await paired(runs >> 1, () => sample([...source, ...call], env()), floor);
  const memory = await paired(
    runs >> 2,
    () => peakMiB([...bundle, ...call], env()),
    () => peakMiB(bare, env()),
  );
  return [
    wall("one call, era known", known, 1.15),
    wall("one call, cold era cache", first, 1.3),
    wall("one call, from source", fromSource, 1.6),
    ratio("one call, peak memory", memory, (each) => each, "MiB", 1.1),
  ];
}

/** From the last byte of the answer to the exit, and what is left six seconds later. */
async function prompt(): Promise<Row[]> {
  const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
  const stubborn = [...bun, join(root, "test/fixtures/servers/faulty.ts"), "stubborn"];
  const rows: Row[] = [];
  for (const [what, command] of [
    ["server-everything", [...bun, join(root, everything), "stdio"]],
    ["a server that ignores EOF and TERM", stubborn],
  ] as const) {
    const tails: number[] = [];
    for (let run = 0; run < 7; run += 1) {
      const call = ["call", "echo", "message=hello", "--", ...command];
      tails.push((await sample([...bun, join(dist, "mcphost.js"), ...call], env())).tailMs);
    }
    const value = median(tails);
    rows.push({ what: `prompt after ${what}, ms`, ours: ms(value), floor: "", value, target: 50 });
  }
  await Bun.sleep(6_000);
  const { length } = await liveProcesses(home);
  rows.push({
    what: "processes left 6 s later",
    ours: `${length}`,
    floor: "",
    value: length,
    target: 0,
  });
  return rows;
}

/** Calls in one process: through the module, against a bare pipe. */
async function loops(): Promise<Row[]> {
  const serial = await both("serial", 7);
  const flight = await both("flight", 7);
  const big = await both("big", 5);
  const above = (await peakOf("big")) - (await peakOf("idle"));
  const rate = ratio("64 calls in flight", flight, (each) => each.calls / each.ms, "calls/ms", 0.6);
  return [
    ratio("serial calls", serial, (each) => (each.ms / each.calls) * 1000, "µs", 1.5),
    { ...rate, atLeast: true },
    ratio("one result of 50 MB", big, (each) => each.ms, "ms", 1.5),
    {
      what: "its memory above the idle process, × its size",
      ours: `${above.toFixed(1)} MiB`,
      floor: `${(50e6 / 2 ** 20).toFixed(1)} MiB`,
      value: (above * 2 ** 20) / 50e6,
      target: 6,
    },
  ];
}

function both(row: string, count: number) {
  return paired(
    count,
    () => loop(join(dist, "mcphost.js"), row),
    () => loop("pipe", row),
  );
}

async function loop(side: string, row: string): Promise<Loop> {
  return JSON.parse((await sample(loopArgv(side, row), env())).stdout);
}

async function peakOf(row: string): Promise<number> {
  const peaks: number[] = [];
  for (let run = 0; run < 3; run += 1)
    peaks.push(await peakMiB(loopArgv(join(dist, "mcphost.js"), row), env()));
  return median(peaks);
}

function loopArgv(side: string, row: string): string[] {
  return [...bun, join(import.meta.dir, "loop.ts"), side, row, ...server];
}

interface Loop {
  ms: number;
  calls: number;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function env(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
  };
}
