/** What calls over HTTP cost, beside a bare script that makes the same requests. */
import { join } from "node:path";

import { paired, sample } from "./measure.ts";
import { ratio, type Row, wall } from "./rows.ts";

export interface Setup {
  /** How Bun is started. */
  bun: string[];
  /** Where the bundle is. */
  dist: string;
  env: () => Record<string, string>;
}

/** Rows over a server in a process of its own, which is ended at the end. */
export async function remote({ bun, dist, env }: Setup): Promise<Row[]> {
  const program = (name: string) => [...bun, join(import.meta.dir, name)];
  const bundle = [...bun, join(dist, "mcphost.js")];
  const server = Bun.spawn(program("remote-server.ts"), { stdin: "pipe", stdout: "pipe" });
  try {
    const origin = `http://127.0.0.1:${await firstLine(server.stdout)}`;
    const rows: Row[] = [];
    for (const era of ["modern", "legacy"]) {
      const url = `${origin}/${era}`;
      const call = [...bundle, "call", "echo", "message=hello", "-s", `bench=${url}`];
      const floor = [...program("remote-floor.ts"), url, era, "hello"];
      const samples = await paired(
        runs,
        () => sample(call, env()),
        () => sample(floor, env()),
      );
      rows.push(wall(`one call over HTTP, ${era}`, samples, 1.3));
      if (era === "modern") {
        rows.push(await trips("its round trips", call, 2));
        rows.push(await trips("its round trips, unchecked", [...call, "--no-validate"], 1));
      }
      const width = ["hello", "30000", "1000"];
      const module = join(dist, "mcphost.js");
      const rates = await paired(
        5,
        () => loop([...program("remote-loop.ts"), module, url, ...width]),
        () => loop([...program("remote-floor.ts"), url, era, ...width]),
      );
      const figure = ({ calls, ms }: Loop) => calls / ms;
      const rate = ratio(`1,000 calls in flight, ${era}`, rates, figure, "calls/ms", 0.7);
      rows.push({ ...rate, atLeast: true });
    }
    return rows;

    async function trips(what: string, argv: string[], target: number): Promise<Row> {
      await fetch(`${origin}/count`);
      await sample(argv, env());
      const value = Number(await (await fetch(`${origin}/count`)).text());
      return { what, ours: String(value), floor: "", value, target };
    }
  } finally {
    server.kill();
    await server.exited;
  }

  async function loop(argv: string[]): Promise<Loop> {
    return JSON.parse((await sample(argv, env())).stdout) as Loop;
  }
}

// --- internal ---

const runs = 40;

interface Loop {
  ms: number;
  calls: number;
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value).trim();
}
