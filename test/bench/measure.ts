/** Running programs in turn and taking medians: paired, so that a busy machine slows both sides alike. */

export interface Sample {
  wallMs: number;
  /** Peak memory of the process. */
  peakBytes: number;
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
  const peakBytes = proc.resourceUsage()!.maxRSS;
  return { wallMs: ended - started, peakBytes, tailMs: Math.max(0, ended - last), stdout };
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
