/** Running programs in turn and taking medians: paired, so that a busy machine slows both sides alike. */
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Sample {
  wallMs: number;
  /** From the last byte on its stdout to its exit. */
  tailMs: number;
  stdout: string;
}

/** Runs one program to its end. @throws when it fails */
export async function sample(argv: string[], env: Record<string, string>): Promise<Sample> {
  const started = performance.now();
  const proc = Bun.spawn(argv, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let stdout = "";
  let last = started;
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const chunk of proc.stdout) {
      stdout += decoder.decode(chunk, { stream: true });
      last = performance.now();
    }
  })();
  const code = await proc.exited;
  const ended = performance.now();
  await reading;
  if (code !== 0) throw new Error(`${argv.join(" ")}: exit ${code}\n${await proc.stderr.text()}`);
  return { wallMs: ended - started, tailMs: Math.max(0, ended - last), stdout };
}

/**
 * The peak memory of a program of Bun in MiB: a run of its own, since measuring costs time. `argv` begins with Bun. A shell
 * starts it: what the system says of a process is never below the memory of the one that it was started by.
 */
export async function peakMiB(argv: string[], env: Record<string, string>): Promise<number> {
  const file = join(tmpdir(), `mcphost-bench-peak-${process.pid}`);
  const [bun, ...rest] = argv;
  const program = [bun!, "--preload", join(import.meta.dir, "peak.ts"), ...rest];
  await sample(["/bin/sh", "-c", '"$@"; exit $?', "sh", ...program], {
    ...env,
    BENCH_PEAK_FILE: file,
  });
  const bytes = Number(await Bun.file(file).text());
  await Bun.file(file).delete();
  return bytes / 2 ** 20;
}

/** Both in turn, `runs` times, after one round that does not count. */
export async function paired<T>(
  runs: number,
  ours: () => Promise<T>,
  floor: () => Promise<T>,
): Promise<{ ours: T[]; floor: T[] }> {
  const all = { ours: [] as T[], floor: [] as T[] };
  await floor();
  await ours();
  for (let run = 0; run < runs; run += 1) {
    all.floor.push(await floor());
    all.ours.push(await ours());
  }
  return all;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
