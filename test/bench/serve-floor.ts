/**
 * The floor of `serve`: a bare proxy in front of one shared server. It maps ids and checks nothing.
 *   bun serve-floor.ts SERVER_COMMAND…
 * Prints its address. `POST /tools` and `POST /tools/NAME` call a tool; `POST` anywhere else takes JSON-RPC as it is.
 */
const server = Bun.spawn(Bun.argv.slice(2), { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
const pending = new Map<number, (answer: Answer) => void>();
let lastId = 0;

void read();
const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "floor" } };
await request("initialize", params);
write({ method: "notifications/initialized" });

const listening = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: {
    "/tools": async (asked) => {
      const { tool, params: args } = (await asked.json()) as { tool: string; params: object };
      return Response.json((await request("tools/call", { name: tool, arguments: args })).result);
    },
    "/tools/:name": async (asked) => {
      const call = { name: asked.params.name, arguments: (await asked.json()) as object };
      return Response.json((await request("tools/call", call)).result);
    },
  },
  async fetch(asked) {
    const { id, method, params: given } = (await asked.json()) as Asked;
    return Response.json({ ...(await request(method, given)), id });
  },
});
console.log(listening.url.origin);

// --- internal ---

interface Asked {
  id: number | string;
  method: string;
  params: object;
}

interface Answer {
  id: number;
  result?: unknown;
}

function write(fields: object): void {
  void server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`);
  void server.stdin.flush();
}

function request(method: string, given: object): Promise<Answer> {
  const id = (lastId += 1);
  const { promise, resolve } = Promise.withResolvers<Answer>();
  pending.set(id, resolve);
  write({ id, method, params: given });
  return promise;
}

async function read(): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of server.stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      pending.get(answer.id)?.(answer);
      pending.delete(answer.id);
    }
  }
}
