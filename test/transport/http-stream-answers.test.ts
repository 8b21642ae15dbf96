/** Streamable HTTP: an answer is found in a stream of events, however the stream is written and cut. */
import { describe, expect, test } from "bun:test";

import { event, modern, open, serve, soon, stream } from "../fixtures/http/kit.ts";
import { ask, events, note, reply } from "./http-kit.ts";

describe("an answer in a stream", () => {
  test("B046: behind comments, heartbeats, empty data, other events and nonsense", async () => {
    const text = [
      ": a comment\n\n",
      ":\n\n",
      "data:\n\n",
      "event: ping\ndata: {}\n\n",
      'event: endpoint\ndata: {"jsonrpc":"2.0","id":1,"result":{"wrong":1}}\n\n',
      'data: {"type":"heartbeat"}\n\n',
      "retry: x\n\n",
      "id: a\0b\n\n",
      "unknown: field\n\n",
      event(reply()),
    ];
    const { text: found, link } = await ask(text.join(""));
    expect(found).toBe(JSON.stringify(reply()));
    expect(link.said("warn")).toEqual([]);
  });

  test("a refusal in an event called error is the answer", async () => {
    const error = { code: -32602, message: "no such thing" };
    const refusal = `event: error\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, error })}\n\n`;
    const { error: found, link } = await ask(refusal);
    expect(found).toMatchObject(error);
    expect(link.said("warn")).toEqual([]);
    const other = await ask(`event: error\ndata: ${JSON.stringify(reply())}\n\n`);
    expect(other.error).toMatchObject({ code: "server_exit" });
  });

  test("B044: over several data lines", async () => {
    const { text } = await ask(
      'event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,\r\ndata: "result":{"a":1.0}}\r\n\r\n',
    );
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
  });

  test.each(["\n", "\r\n", "\r"])("with the line end %j, and a byte order mark", async (eol) => {
    const text = `\uFEFFevent: message${eol}data: ${JSON.stringify(reply())}${eol}${eol}`;
    expect((await ask(text)).text).toBe(JSON.stringify(reply()));
  });

  test("cut in the middle of characters and line ends", async () => {
    const bytes = new TextEncoder().encode(
      event(reply(1, { text: "grüße 🎉" })).replaceAll("\n", "\r\n"),
    );
    await using server = serve(() => {
      const { response, write, end } = stream();
      for (const byte of bytes) write(new Uint8Array([byte]));
      end();
      return response;
    });
    await using link = open(server.url);
    const { response } = await link.peer.request("a", modern(), soon);
    expect(response.result).toEqual({ text: "grüße 🎉" });
  });

  test("B043, O008: JSON and streams in turn, with and without an event line", async () => {
    await using server = serve((seen) => {
      const body = JSON.stringify(reply(seen.id));
      if (seen.method === "json") return new Response(body);
      return events(`${seen.method === "named" ? "event: message\n" : ""}data: ${body}\n\n`);
    });
    await using link = open(server.url);
    for (const method of ["json", "named", "json", "plain"])
      expect((await link.peer.request(method, modern(), soon)).response.result).toEqual({
        ok: true,
      });
  });

  test.each<[string, string]>([
    ["its last event without a blank line", `event: message\ndata: ${JSON.stringify(reply())}\n`],
    ["and without the end of its line", `id: 1\ndata: ${JSON.stringify(reply())}`],
    ["no event at all, but JSON", JSON.stringify(reply())],
    ["JSON over several lines", `\n${JSON.stringify(reply(), null, 2)}\r\n`],
    ["JSON that is an array", JSON.stringify([note(1), reply()])],
  ])("that is not as it should be: %s", async (_name, text) => {
    const { text: found, gets } = await ask(text);
    expect(JSON.parse(found ?? "null")).toEqual(reply());
    expect(gets).toBe(0);
  });

  test("half of an event is waited for, however it looks", async () => {
    const text = event(reply(1, { list: [{ a: {} }] }));
    await using server = serve(() => {
      const { response, write } = stream(text.slice(0, text.indexOf("}") + 1));
      setTimeout(() => write(text.slice(text.indexOf("}") + 1)), 300);
      return response;
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    const { response } = await link.peer.request("first", modern(), soon);
    expect(response.result).toEqual({ list: [{ a: {} }] });
  });

  test("an array in an event (2025-03-26)", async () => {
    expect((await ask(event([note(1), reply()]))).text).toBe(JSON.stringify(reply()));
  });
});
