/**
 * Load on several addresses in turn, a second each: short, so that a busy machine slows all alike. Each has connections of its
 * own that are kept, each with one request under way; every answer must hold its own message.
 *   bun serve-load.ts FACE CONNECTIONS SLICES ORIGIN…
 * FACE is `tools` (POST /tools), `tool` (POST /tools/NAME), `modern` or `legacy` (the gateway in each era; a bare proxy takes
 * both). Prints JSON: of each address its slices, each with calls, ms, and the 99th percentile in ms.
 */
const [face = "", connections = "1", slices = "1", ...origins] = Bun.argv.slice(2);
const sliceMs = 1000;
/** What one has left to do when it rests must not slow the next. */
const pauseMs = 50;
const both = "application/json, text/event-stream";
const accept = `Accept: ${both}\r\n`;
let lastId = 0;

const targets = await Promise.all(origins.map(target));
// The first does not count: what is called often is compiled meanwhile.
for (let at = 0; at <= Number(slices); at += 1)
  for (const { load, loads } of targets) {
    const slice = await load();
    if (at > 0) loads.push(slice);
    await Bun.sleep(pauseMs);
  }
console.log(JSON.stringify(targets.map(({ loads }) => loads)));
process.exit(0);

// --- internal ---

interface Load {
  calls: number;
  ms: number;
  p99: number;
}

interface Face {
  path: string;
  /** Each ends with CRLF. */
  headers?: string;
  body: (args: object) => object;
}

interface Connection {
  /** Asks one request after another until the time is over. */
  until(end: number, times: number[]): Promise<void>;
}

async function target(origin: string) {
  const { host, hostname, port } = new URL(origin);
  const { path, headers = "", body } = await faceAt(origin);
  const request = (message: string) => {
    const text = JSON.stringify(body({ message }));
    const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${headers}`;
    return `${head}Content-Length: ${text.length}\r\n\r\n${text}`;
  };
  const opened = Array.from({ length: Number(connections) }, (_, at) =>
    connect({ hostname, port: Number(port) }, (sent) => `m${at}-${sent}-`, request),
  );
  const all = await Promise.all(opened);
  const load = async (): Promise<Load> => {
    const times: number[] = [];
    const started = performance.now();
    await Promise.all(all.map((one) => one.until(started + sliceMs, times)));
    const ms = performance.now() - started;
    times.sort((a, b) => a - b);
    return { calls: times.length, ms, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
  };
  return { load, loads: [] as Load[] };
}

async function connect(
  address: { hostname: string; port: number },
  messageOf: (sent: number) => string,
  requestOf: (message: string) => string,
): Promise<Connection> {
  let sent = 0;
  let sentAt = 0;
  let answer = "";
  let end = 0;
  let times: number[] = [];
  let over = Promise.withResolvers<void>();
  const next = (socket: Bun.Socket) => {
    sentAt = performance.now();
    if (sentAt > end) return over.resolve();
    sent += 1;
    answer = "";
    socket.write(requestOf(messageOf(sent)));
  };
  const socket = await Bun.connect({
    ...address,
    socket: {
      data(from, data) {
        answer += data.toString();
        const head = answer.indexOf("\r\n\r\n");
        const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
        if (head < 0 || answer.length < head + 4 + Number(length)) return;
        if (!answer.includes(messageOf(sent))) over.reject(new Error(`a wrong answer: ${answer}`));
        times.push(performance.now() - sentAt);
        next(from);
      },
      close: () => over.reject(new Error("a connection was closed")),
      error: (_socket, error) => over.reject(error),
    },
  });
  return {
    until(time, into) {
      end = time;
      times = into;
      over = Promise.withResolvers<void>();
      next(socket);
      return over.promise;
    },
  };
}

async function faceAt(origin: string): Promise<Face> {
  switch (face) {
    case "tools":
      return { path: "/tools", body: (args) => ({ tool: "echo", params: args }) };
    case "tool":
      return { path: "/tools/echo", body: (args) => args };
    case "modern":
      return { path: "/mcp", headers: modernHeaders(), body: (args) => call(args, modernMeta()) };
    default: {
      const headers = await sessionHeaders(origin);
      return { path: "/mcp", headers, body: (args) => call(args) };
    }
  }
}

function call(args: object, more: object = {}): object {
  const params = { name: "echo", arguments: args, ...more };
  lastId += 1;
  return { jsonrpc: "2.0", id: lastId, method: "tools/call", params };
}

function modernMeta(): object {
  const own = "io.modelcontextprotocol/";
  return { _meta: { [`${own}protocolVersion`]: "2026-07-28", [`${own}clientCapabilities`]: {} } };
}

function modernHeaders(): string {
  const own = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n";
  return `${accept}${own}`;
}

/** Those of a session that is begun here; a bare proxy has none. */
async function sessionHeaders(origin: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "load" } };
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: { accept: both, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  await response.arrayBuffer();
  const id = response.headers.get("mcp-session-id");
  return id === null ? accept : `${accept}Mcp-Session-Id: ${id}\r\n`;
}
