/** `subscribe` as it runs, on servers of every transport and era. */
import { serveRemote } from "../fixtures/remote/server.ts";
import { sourceProgram, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

/** Every transport and era. */
export const ways = [
  { transport: "http", era: "legacy" },
  { transport: "http", era: "modern" },
  { transport: "sse", era: "legacy" },
  { transport: "ws", era: "legacy" },
  { transport: "ws", era: "modern" },
] as const;

/** How a test calls one of them. */
export const name = ({ transport, era }: (typeof ways)[number]) => `${transport} ${era}`;

/** Runs the program; what it prints can be waited for. */
export async function spawned(...words: string[]) {
  const home = await tempDir();
  const proc = Bun.spawn([...sourceProgram, "subscribe", ...words], {
    env: { PATH: process.env["PATH"], HOME: home.path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = { out: "", err: "" };
  const read = async (stream: ReadableStream<Uint8Array>, to: keyof typeof said) => {
    for await (const bytes of stream) said[to] += new TextDecoder().decode(bytes);
  };
  const reading = Promise.all([read(proc.stdout, "out"), read(proc.stderr, "err")]);
  return {
    proc,
    lines: () => said.out.split("\n").slice(0, -1),
    stderr: () => said.err,
    has: (lines: string[]) =>
      waitFor(
        () => said.out === lines.map((line) => `${line}\n`).join(""),
        `${lines} in ${said.out}`,
      ),
    async [Symbol.asyncDispose]() {
      proc.kill("SIGKILL");
      await proc.exited;
      await reading;
      await home[Symbol.asyncDispose]();
    },
  };
}

/** The program on a server of its own. */
export async function subscribed(way: (typeof ways)[number], ...words: string[]) {
  const server = await serveRemote(way);
  const program = await spawned(...words, "-s", `far:${way.transport}:${server.url}`);
  const method = way.era === "modern" ? "subscriptions/listen" : "resources/subscribe";
  const times = () => server.methods().filter((one) => one === method).length;
  return {
    ...program,
    server,
    opened: (wanted = 1) => waitFor(() => times() >= wanted, "a subscription"),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
