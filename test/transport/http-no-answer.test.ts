/** Streamable HTTP: a success that is no answer, too large, too deep or cut, ends its request with one clear error. */
import { describe, expect, test } from "bun:test";

import { failure, open, serve, soon } from "../fixtures/http/kit.ts";
import { serveRaw } from "../fixtures/http/raw.ts";
import { ask, html, json, result } from "./http-answers-kit.ts";

describe("a success that is no answer", () => {
  test.each<[string, () => Response, string]>([
    [
      "B028: a page",
      () => new Response("<title>Log in</title>", { headers: html }),
      "gave text/html (HTTP 200 from URL), where JSON or an event stream was expected, to first: Log in",
    ],
    [
      "B028: a page without visible text",
      () => new Response("<html><script src=/app.js></script></html>", { headers: html }),
      "gave text/html (HTTP 200 from URL), where JSON or an event stream was expected, to first",
    ],
    ["nothing", () => new Response("", { headers: json }), "gave an empty answer to first"],
    [
      "202",
      () => new Response(null, { status: 202 }),
      "took a request (HTTP 202) and gave no answer to first",
    ],
    [
      "204",
      () => new Response(null, { status: 204 }),
      "took a request (HTTP 204) and gave no answer to first",
    ],
    [
      "null",
      () => new Response("null", { headers: json }),
      "gave an answer that is no JSON-RPC message to first: null",
    ],
    [
      "JSON of another kind",
      () => new Response('{"ok":true}', { headers: json }),
      'gave an answer that is no JSON-RPC message to first: {"ok":true}',
    ],
    [
      "an empty array",
      () => new Response("[]", { headers: json }),
      "gave an answer that is no JSON-RPC message to first: []",
    ],
    [
      "plain text",
      () => new Response("hello"),
      "gave text/plain (HTTP 200 from URL), where JSON or an event stream was expected, to first: hello",
    ],
    [
      "B029: an unknown encoding",
      () => new Response("xx", { headers: { ...json, "content-encoding": "foo" } }),
      'gave an answer that is encoded as "foo", which we cannot read, to first: xx',
    ],
    [
      "B052: another id",
      () => new Response(result(0), { headers: json }),
      "gave an answer under id 0, which waits for none, to first",
    ],
    [
      "G007: an id that only looks alike",
      () => new Response(result("01x"), { headers: json }),
      'gave an answer under id "01x", which waits for none, to first',
    ],
  ])("%s", async (_name, response, text) => {
    const { error, requests } = await ask(response());
    // What was taken may have been done.
    const code = /^took|empty/.test(text) ? "server_exit" : "rpc_error";
    expect(error).toMatchObject({ code, facts: { server: "srv", sent: true } });
    const said = error.message.replace(String(error.facts.url), "URL");
    expect(said).toStartWith(`server "srv" ${text}`);
    expect(requests).toBe(1);
  });

  test.each([
    ["server/discover", "/mcp at the end"],
    ["initialize", "/mcp at the end"],
    ["tools/call", "greeted there before"],
  ])("the address is doubted only where nobody was greeted yet: %s", async (method, words) => {
    await using server = serve(() => new Response("<p>Log in", { headers: html }));
    await using link = open(server.url);
    expect(await failure(link.peer.request(method, {}, soon))).toMatchObject({
      hint: expect.stringContaining(words),
    });
  });

  test("G004: neither result nor error", async () => {
    const { error } = await ask(new Response('{"jsonrpc":"2.0","id":1}', { headers: json }));
    expect(error).toMatchObject({ code: "rpc_error" });
  });

  test("JSON that is cut, though the HTTP is whole", async () => {
    const { error } = await ask(
      new Response('{"jsonrpc":"2.0","id":1,"result":{"a', { headers: json }),
    );
    expect(error).toMatchObject({
      code: "rpc_error",
      message: expect.stringContaining("is not valid JSON"),
    });
  });

  test("an answer beyond the limit, of known and of unknown length", async () => {
    const large = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(100_000) } });
    const chunks = () => new Response(new Blob([large]).stream(), { headers: json });
    for (const response of [new Response(large, { headers: json }), chunks()]) {
      const { error } = await ask(response, { responseBytesMax: 10_000 });
      expect(error).toMatchObject({ code: "rpc_error", facts: { bytesMax: 10_000 } });
    }
  });

  test("a length that is said beside chunks means nothing", async () => {
    const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
    await using server = serveRaw((socket) => {
      const type = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
      socket.write(`${type}Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (let n = 0; n < 4; n++) socket.write(chunk);
      socket.write(`${result(1).length.toString(16)}\r\n${result(1)}\r\n0\r\n\r\n`);
    });
    await using link = open(server.url, { responseBytesMax: 100_000 });
    expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({
      code: "rpc_error",
      facts: { bytesMax: 100_000 },
    });
  });

  test("a bomb: small as it is sent, large as it is read", async () => {
    const body = Bun.gzipSync(
      Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${"0".repeat(20_000_000)}"}`),
    );
    expect(body.length).toBeLessThan(100_000);
    const headers = { ...json, "content-encoding": "gzip" };
    const { error } = await ask(new Response(body, { headers }), { responseBytesMax: 1_000_000 });
    expect(error).toMatchObject({ code: "rpc_error", facts: { bytesMax: 1_000_000 } });
    expect(error.facts.bytes).toBeLessThan(10_000_000);
  });

  test("G011: nested beyond measure", async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
    const { text, error } = await ask(new Response(deep, { headers: json }));
    expect(text ?? error.code).toBe(text === undefined ? "rpc_error" : deep);
  });
});
