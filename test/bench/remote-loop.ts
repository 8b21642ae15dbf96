/**
 * Calls over HTTP in one process, through the module: `bun remote-loop.ts FILE URL MESSAGE CALLS WIDTH`. Prints JSON as
 * remote-floor.ts does.
 */
const [file, url, message, calls, width] = Bun.argv.slice(2) as [
  string,
  string,
  string,
  ...string[],
];
const { createHost } = (await import(file)) as typeof import("../../mcphost.ts");
const host = await createHost({ servers: { bench: { url, concurrency: Number(width) } } });

// Until what is called often is compiled: whoever keeps 1,000 calls in flight makes many.
await inFlight(20_000, Number(width));
const started = performance.now();
await inFlight(Number(calls), Number(width));
console.log(JSON.stringify({ ms: performance.now() - started, calls: Number(calls) }));
process.exit(0);

// --- internal ---

async function inFlight(count: number, atOnce: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const outcome = await host.call({ tool: "echo", arguments: { message } });
      if (outcome.status !== "completed") throw new Error(outcome.status, { cause: outcome.error });
      if ((outcome.result.content as { text: string }[])[0]!.text !== message)
        throw new Error("wrong echo");
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
