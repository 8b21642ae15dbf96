/**
 * One measured loop in a process of its own, over a bare pipe or through the host: so that the two differ in nothing else.
 *   bun loop.ts pipe|FILE serial|flight|big|idle SERVER_COMMAND…
 * FILE is the module to take `createHost` from. Prints JSON: `ms` for the whole of `calls` calls.
 */
const [side, row, ...command] = Bun.argv.slice(2);
const call = side === "pipe" ? await pipe() : await host(side!);
const bytes = 50_000_000;

if (row === "serial") await measured(5_000, 1, 500);
else if (row === "flight") await measured(20_000, 64, 2_000);
else if (row === "big") await measuredBig();
else await call("echo", { message: "idle" });
process.exit(0);

// --- internal ---

type Call = (tool: string, args: Record<string, number | string>) => Promise<string>;

/** `calls` calls, `width` of them at a time, after some to warm up. */
async function measured(calls: number, width: number, warmUp: number): Promise<void> {
  await inFlight(warmUp, width);
  const started = performance.now();
  await inFlight(calls, width);
  report(performance.now() - started, calls);
}

async function inFlight(calls: number, width: number): Promise<void> {
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      if ((await call("echo", { message: "hello" })) !== "hello") throw new Error("wrong echo");
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

async function measuredBig(): Promise<void> {
  await call("echo", { message: "warm" });
  const started = performance.now();
  const text = await call("big", { bytes });
  if (text.length !== bytes) throw new Error(`${text.length} bytes`);
  report(performance.now() - started, 1);
}

function report(ms: number, calls: number): void {
  console.log(JSON.stringify({ ms, calls }));
}

/**
 * The bare pipe loop: ids, lines, fragments kept until a line ends, and the progress token that a host always sends, so
 * that both sides exchange the same messages; nothing else.
 */
async function pipe(): Promise<Call> {
  const server = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const pending = new Map<number, (result: { content: { text: string }[] }) => void>();
  let lastId = 0;

  const send = (fields: object) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`);
    server.stdin.flush();
  };
  const request = (method: string, params: object) => {
    lastId += 1;
    const { promise, resolve } = Promise.withResolvers<{ content: { text: string }[] }>();
    pending.set(lastId, resolve);
    send({ id: lastId, method, params });
    return promise;
  };

  void (async () => {
    const decoder = new TextDecoder();
    let fragments: Uint8Array[] = [];
    for await (const chunk of server.stdout) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        fragments.push(chunk.subarray(from, end));
        const whole = fragments.length === 1 ? fragments[0]! : Buffer.concat(fragments);
        const { id, result } = JSON.parse(decoder.decode(whole));
        pending.get(id)?.(result);
        pending.delete(id);
        fragments = [];
        from = end + 1;
      }
      if (from < chunk.length) fragments.push(chunk.subarray(from));
    }
  })();

  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "floor", version: "1.0.0" },
  });
  send({ method: "notifications/initialized" });
  return async (name, args) => {
    const params = { name, arguments: args, _meta: { progressToken: lastId + 1 } };
    return (await request("tools/call", params)).content[0]!.text;
  };
}

async function host(file: string): Promise<Call> {
  const { createHost } = (await import(file)) as typeof import("../../mcphost.ts");
  const [program, ...args] = command;
  const opened = await createHost({
    servers: { bench: { command: program!, args } },
    env: { PATH: process.env["PATH"] },
  });
  return async (tool, given) => {
    const outcome = await opened.call({ tool, arguments: given });
    if (outcome.status !== "completed") throw new Error(outcome.status, { cause: outcome.error });
    const [block] = outcome.result.content as { text: string }[];
    return block!.text;
  };
}
