#!/usr/bin/env bun
/**
 * An MCP server in one file, over stdio, without any SDK: `echo`, `add`, `slow` (with progress) and `fail`. It speaks
 * both eras: `initialize` (2024-11-05 to 2025-11-25) and `server/discover` with per-request metadata (2026-07-28).
 *
 * Nothing but the protocol can reach stdout: only `send` below holds the real one, and everything that prints, a
 * dependency too, lands on stderr. At the end of stdin it leaves, and what still ran is given up.
 */

type Fields = Record<string, unknown>;
type Id = string | number;

interface Tool {
  description: string;
  inputSchema: Fields;
  outputSchema?: Fields;
  /** Text, or a whole result. An error thrown becomes a result with `isError`. */
  run(
    args: Fields,
    call: { signal: AbortSignal; progress(done: number, total: number): void },
  ): unknown;
}

const stdout = Bun.stdout.writer();
for (const name of ["log", "info", "debug", "table", "dir"] as const) console[name] = console.error;
Object.defineProperty(process, "stdout", { get: () => process.stderr });

const number = { type: "number" };
const offered: Record<string, Tool> = {
  echo: {
    description: "Gives the message back",
    inputSchema: object({ message: { type: "string", description: "What to say" } }, ["message"]),
    run: ({ message }) => String(message),
  },
  add: {
    description: "Adds two numbers",
    inputSchema: object({ a: number, b: number }, ["a", "b"]),
    outputSchema: object({ sum: number }, ["sum"]),
    run({ a, b }) {
      if (typeof a !== "number" || typeof b !== "number")
        throw new Error("a and b must be numbers");
      const sum = a + b;
      return { content: [{ type: "text", text: String(sum) }], structuredContent: { sum } };
    },
  },
  slow: {
    description: "Works for a while and reports progress",
    inputSchema: object({
      steps: { type: "integer", default: 3, minimum: 1 },
      stepMs: { type: "integer", default: 200, minimum: 0 },
    }),
    async run({ steps = 3, stepMs = 200 }, { signal, progress }) {
      const total = Number(steps);
      for (let done = 1; done <= total && !signal.aborted; done += 1) {
        await Bun.sleep(Number(stepMs));
        progress(done, total);
      }
      return `${total} steps done`;
    },
  },
  fail: {
    description: "Always fails",
    inputSchema: object({ reason: { type: "string", default: "as asked" } }),
    run({ reason = "as asked" }) {
      throw new Error(String(reason));
    },
  },
};
// Of an object, every name that all have could be asked for.
const tools = new Map(Object.entries(offered));

const info = { name: "echo-example", version: "1.0.0" };
const capabilities = { tools: {} };
const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const modernRevision = "2026-07-28";
const meta = "io.modelcontextprotocol/";

/** Calls that still run, so that they can be cancelled. */
const running = new Map<Id, AbortController>();

type Method = (params: Fields, id: Id) => Fields | Promise<Fields | undefined>;

const methods = new Map<string, Method>([
  [
    "initialize",
    ({ protocolVersion: asked }) => ({
      protocolVersion: legacyRevisions.find((known) => known === asked) ?? legacyRevisions[0],
      capabilities,
      serverInfo: info,
    }),
  ],
  [
    "server/discover",
    () => ({ supportedVersions: [modernRevision, ...legacyRevisions], capabilities }),
  ],
  ["ping", () => ({})],
  [
    "tools/list",
    // `run` is a function, so JSON leaves it out.
    () => ({ tools: [...tools].map(([name, tool]) => ({ name, ...tool })) }),
  ],
  ["tools/call", call],
]);

await read();
process.exit(0);

// --- internal ---

/** One message a line, until stdin ends. Nothing is awaited, so a long call runs beside a ping. */
async function read(): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of Bun.stdin.stream()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== "") void receive(line);
  }
}

async function receive(line: string): Promise<void> {
  let message: { id?: Id; method?: unknown; params?: Fields };
  try {
    message = JSON.parse(line);
  } catch {
    return refuse(null, -32700, "Parse error");
  }
  const { id, method, params = {} } = message ?? {};
  if (typeof method !== "string") return refuse(id ?? null, -32600, "Invalid request");
  // A notification: never answered, whatever it says.
  if (id === undefined) return notified(method, params);
  const answer = methods.get(method);
  if (answer === undefined) return refuse(id, -32601, `Method not found: ${method}`);
  try {
    const result = await answer(params, id);
    if (result !== undefined) send({ jsonrpc: "2.0", id, result: dressed(method, params, result) });
  } catch (error) {
    refuse(id, -32602, error instanceof Error ? error.message : String(error));
  }
}

function notified(method: string, params: Fields): void {
  if (method === "notifications/cancelled") running.get(params["requestId"] as Id)?.abort();
}

/** The result of a tool; nothing where the call was cancelled. */
async function call(params: Fields, id: Id): Promise<Fields | undefined> {
  const found = tools.get(String(params["name"]));
  if (found === undefined) throw new Error(`Unknown tool: ${params["name"]}`);
  const token = (params["_meta"] as Fields | undefined)?.["progressToken"];
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const result = await found.run((params["arguments"] ?? {}) as Fields, {
      signal: controller.signal,
      progress: (progress, total) =>
        token === undefined ||
        notify("notifications/progress", { progressToken: token, progress, total }),
    });
    if (controller.signal.aborted) return undefined;
    return typeof result === "string" ? text(result) : (result as Fields);
  } catch (error) {
    return { ...text(error instanceof Error ? error.message : String(error)), isError: true };
  } finally {
    running.delete(id);
  }
}

/** What a modern request, one that names its revision, wants beside the result. */
function dressed(method: string, params: Fields, result: Fields): Fields {
  const asked = params["_meta"] as Fields | undefined;
  if (asked?.[`${meta}protocolVersion`] === undefined) return result;
  const cache = method === "tools/call" ? {} : { ttlMs: 0, cacheScope: "private" };
  return { ...result, ...cache, resultType: "complete", _meta: { [`${meta}serverInfo`]: info } };
}

function refuse(id: Id | null, code: number, message: string): void {
  send({ jsonrpc: "2.0", id, error: { code, message } });
}

function notify(method: string, params: Fields): void {
  send({ jsonrpc: "2.0", method, params });
}

/** The only way to stdout. */
function send(message: Fields): void {
  stdout.write(`${JSON.stringify(message)}\n`);
  void stdout.flush();
}

function text(value: string): Fields {
  return { content: [{ type: "text", text: value }] };
}

function object(properties: Fields, required: string[] = []): Fields {
  return { type: "object", properties, required, additionalProperties: false };
}
