/**
 * A legacy server on stdio that asks its client in ways of its own:
 *   both: two questions at once · visit: a URL first (-32042), and again until it was visited · late: a question after its
 *   answer · taken: a question that it takes back, then answers · token: a question with a progress token of its own
 *   · who: its process, and what its client declared
 */
export type Message = { id?: number | string; method?: string; params?: any; result?: any };

const waiting = new Map<string, (result: any) => void>();
let asked = 0;
let visited = false;
let capabilities: unknown;

for await (const line of console) {
  const message = JSON.parse(line) as Message;
  if (message.method === undefined) waiting.get(String(message.id))?.(message.result);
  else if (message.id !== undefined) void answer(message);
}

// --- internal ---

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(message: string, more: object = {}): Promise<any> {
  const id = `asked-${++asked}`;
  const { promise, resolve } = Promise.withResolvers<any>();
  waiting.set(id, resolve);
  write({ id, method: "elicitation/create", params: { message, requestedSchema: form, ...more } });
  return promise;
}

async function answer({ id, method, params }: Message): Promise<void> {
  if (method === "initialize") {
    ({ capabilities } = params);
    const serverInfo = { name: "asking", version: "1" };
    const { protocolVersion } = params;
    return write({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") {
    const tools = ["both", "visit", "late", "taken", "token", "who"].map((name) => ({
      name,
      inputSchema: { type: "object" },
    }));
    return write({ id, result: { tools } });
  }
  if (method !== "tools/call") return write({ id, error: { code: -32601, message: "no" } });
  const text = await run(params.name, id);
  if (text !== undefined) write({ id, result: { content: [{ type: "text", text }] } });
}

async function run(name: string, id: Message["id"]): Promise<string | undefined> {
  if (name === "who") return JSON.stringify({ pid: process.pid, capabilities });
  if (name === "both") return JSON.stringify(await Promise.all([ask("One?"), ask("Two?")]));
  if (name === "token")
    return JSON.stringify(await ask("?", { _meta: { progressToken: 7, a: 1 } }));
  if (name === "late") {
    setTimeout(() => void ask("Too late?"), 20);
    return "answered";
  }
  if (name === "taken") {
    void ask("Never mind?");
    const requestId = `asked-${asked}`;
    setTimeout(() => write({ method: "notifications/cancelled", params: { requestId } }), 100);
    await Bun.sleep(200);
    return "done without it";
  }
  if (visited) return "visited";
  const elicitation = {
    mode: "url",
    message: "Go",
    url: "https://example.org/",
    elicitationId: "e",
  };
  const error = { code: -32042, message: "visit first", data: { elicitations: [elicitation] } };
  write({ id, error });
  setTimeout(() => {
    visited = true;
    write({ method: "notifications/elicitation/complete", params: { elicitationId: "e" } });
  }, 150);
  return undefined;
}

const form = { type: "object", properties: { name: { type: "string" } } };
