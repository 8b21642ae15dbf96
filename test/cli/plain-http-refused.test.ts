/** Plain calls over HTTP that are refused or break off: they are not made again. */
import { expect, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { call, callsIn, recorder, refusals, resultOf } from "./plain-http-kit.ts";

test.concurrent.each(Object.keys(refusals))(
  "a call that is refused, %s, is not made again",
  async (what) => {
    await using home = await tempDir();
    using server = recorder("modern", "tools/call", what);
    const ends: unknown[] = [];
    // A flag makes it a call of the host's.
    for (const flags of [[], ["--no-user-config"]]) {
      server.begin();
      const { code, stdout, stderr } = await call(home, server.url, ...flags).run();
      ends.push({ code, stdout, stderr, calls: callsIn(server.got).length });
    }
    expect(ends[0]).toEqual(ends[1]);
    expect(ends[1]).toMatchObject({ calls: 1 });
  },
);

test.concurrent.each(["=", "-x="])("a line that is wrong asks nobody: -s %sURL", async (name) => {
  await using home = await tempDir();
  using server = recorder("modern", "", "");
  const run = mcphost("call", "echo", "message=hi", "-s", `${name}${server.url}`).home(home.path);
  expectRun(await run.run(), { code: 2, stderr: /./ });
  expect(server.got).toEqual([]);
});

test("a port that cannot be is one where nothing listens", async () => {
  await using home = await tempDir();
  const stderr = /nothing listens on 127.0.0.1:0/;
  expectRun(await call(home, "http://127.0.0.1:0/mcp").run(), { code: 3, stderr });
});

test.each(["a known length", "an unknown length"])(
  "a call whose answer of %s breaks off is not made again",
  async (length) => {
    await using home = await tempDir();
    let calls = 0;
    using server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      data: { text: "" },
      socket: {
        open: (socket) => void (socket.data = { text: "" }),
        data(socket, bytes) {
          socket.data.text += bytes.toString();
          const [asked = "", text = ""] = socket.data.text.split("\r\n\r\n");
          const awaited = Number(/content-length: (\d+)/i.exec(asked)?.[1] ?? Infinity);
          if (text.length < awaited) return;
          const { id, method, params } = JSON.parse(text);
          const result = resultOf("modern", method, params);
          const body = JSON.stringify({ jsonrpc: "2.0", id, result });
          const isCall = method === "tools/call";
          calls += Number(isCall);
          const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n";
          if (!isCall)
            return void socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
          const known = length === "a known length";
          const how = known ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked";
          const part = known ? body.slice(0, 9) : `9\r\n${body.slice(0, 9)}\r\n`;
          socket.end(`${head}${how}\r\n\r\n${part}`);
        },
      },
    });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    for (const code of [6, 6])
      expectRun(await call(home, url).run(), { code, stderr: /may or may not have been done/ });
    expect(calls).toBe(2);
  },
);
