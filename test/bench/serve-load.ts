/**
 * Load on one address over connections that are kept, each with one request under way; every answer must hold its own
 * message.
 *   bun serve-load.ts ORIGIN FACE CONNECTIONS MS
 * FACE is `tools` (POST /tools) or `tool` (POST /tools/NAME). Prints JSON: calls, ms, and the 99th percentile in ms.
 */
const [origin = "", face = "", connections = "1", duration = "1000"] = Bun.argv.slice(2);
const { hostname, port, host } = new URL(origin);
const times: number[] = [];

await load(300);
times.length = 0;
const ms = await load(Number(duration));
times.sort((a, b) => a - b);
const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
console.log(JSON.stringify({ calls: times.length, ms, p99 }));
process.exit(0);

// --- internal ---

async function load(forMs: number): Promise<number> {
  const started = performance.now();
  const end = started + forMs;
  await Promise.all(Array.from({ length: Number(connections) }, (_, i) => connection(i, end)));
  return performance.now() - started;
}

/** One request after another until the time is over. */
async function connection(index: number, end: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sent = 0;
  let sentAt = 0;
  let answer = "";
  const next = (socket: Bun.Socket) => {
    sentAt = performance.now();
    if (sentAt > end) return void socket.end();
    sent += 1;
    answer = "";
    socket.write(request(`m${index}-${sent}-`));
  };
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: next,
      data(socket, data) {
        answer += data.toString();
        const head = answer.indexOf("\r\n\r\n");
        const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
        if (head < 0 || answer.length < head + 4 + Number(length)) return;
        if (!answer.includes(`m${index}-${sent}-`)) reject(new Error(`a wrong answer: ${answer}`));
        times.push(performance.now() - sentAt);
        next(socket);
      },
      close: () => resolve(),
      error: (_socket, error) => reject(error),
    },
  });
  await promise;
}

function request(message: string): string {
  const args = { message };
  const path = face === "tools" ? "/tools" : "/tools/echo";
  const body = JSON.stringify(face === "tools" ? { tool: "echo", params: args } : args);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`;
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
