/**
 * The floor of a one-shot call: it only spawns the server, handshakes, calls `echo`, prints the text and leaves. No era
 * probe, no list, no check, no stop: what is left when everything a host does is taken away.
 *   bun floor.ts MESSAGE COMMAND…
 */
const [message, ...command] = Bun.argv.slice(2);
const server = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "ignore" });

send({
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "floor", version: "1.0.0" },
  },
});

let rest = "";
const decoder = new TextDecoder();
for await (const chunk of server.stdout) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop()!;
  for (const line of lines) await receive(JSON.parse(line));
}

// --- internal ---

async function receive({ id, result }: { id: number; result: { content: { text: string }[] } }) {
  if (id === 1) {
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { name: "echo", arguments: { message } } });
    return;
  }
  const stdout = Bun.stdout.writer();
  stdout.write(`${result.content[0]!.text}\n`);
  await stdout.flush();
  process.exit(0);
}

function send(fields: object): void {
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`);
  server.stdin.flush();
}
