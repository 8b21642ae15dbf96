/** Streamable HTTP: answers are taken from streams that are called something else, stay open, or mix requests. */
import { describe, expect, test } from "bun:test";

import {
  event,
  eventStream,
  failure,
  modern,
  open,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import type { Seen, Stream } from "../fixtures/http/kit.ts";
import { ask, note, progress, reply } from "./http-kit.ts";

/** As servers write it that know of no blank line. */
const lineOf = (message: object) => `data: ${JSON.stringify(message)}\n`;

describe("an answer in a stream", () => {
  test.each<[string, string[]]>([
    ["an event without a blank line", [`event: message\ndata: ${JSON.stringify(reply())}\n`]],
    ["one without the end of its line", [`data: ${JSON.stringify(reply())}`]],
    ["two without blank lines", [`data: ${JSON.stringify(progress(1))}\n`, lineOf(reply())]],
    ["two that come together", [`${lineOf(progress(1))}${lineOf(reply())}`]],
    ["JSON over several lines", [JSON.stringify(reply(), null, 2)]],
    ["one behind another that is whole", [event(progress(1)), lineOf(reply())]],
  ])("on a stream that stays open: %s", async (_name, [first, ...chunks]) => {
    await using server = serve(() => {
      const { response, write } = stream(first);
      for (const chunk of chunks) write(chunk);
      return response;
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    const { response } = await link.peer.request("first", modern(), soon);
    expect(response.result).toEqual({ ok: true });
    await until(() => server.pending() === 0);
  });

  test("JSON in its place, cut anywhere", async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify(reply(1, { text: "grüße 🎉\n" }), null, 1),
    );
    await using server = serve(() => {
      const { response, write, end } = stream(" ");
      for (const byte of bytes) write(new Uint8Array([byte]));
      end();
      return response;
    });
    await using link = open(server.url);
    const { response } = await link.peer.request("a", modern(), soon);
    expect(response.result).toEqual({ text: "grüße 🎉\n" });
  });

  test.each<[string, Record<string, string>]>([
    ["application/json", { "content-type": "application/json" }],
    ["text/plain", { "content-type": "text/plain" }],
    ["a length", { "content-type": "application/json", "content-length": "" }],
  ])("that is called something else: %s", async (_name, headers) => {
    const text = `: hello\n\n${event(progress(1))}event: message\n${event(reply())}`;
    await using server = serve((seen) => {
      if (seen.method !== "first") return undefined;
      if ("content-length" in headers)
        return new Response(text, { headers: { "content-type": "application/json" } });
      return new Response(new Blob([text]).stream(), { headers });
    });
    await using link = open(server.url);
    const { response } = await link.peer.request("first", modern(), soon);
    expect(response.result).toEqual({ ok: true });
  });

  test("that is called JSON, and stays open", async () => {
    await using server = serve(() => {
      const { response } = stream(event(reply()));
      return new Response(response.body, { headers: { "content-type": "application/json" } });
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    const { response } = await link.peer.request("a", modern(), soon);
    expect(response.result).toEqual({ ok: true });
    await until(() => server.pending() === 0);
  });

  test("a JSON-RPC error without an id, or under a status that is none of a success", async () => {
    const error = { code: -32602, message: "no" };
    expect((await ask(event({ jsonrpc: "2.0", id: null, error }))).error).toMatchObject(error);
    await using server = serve(
      () =>
        new Response(event({ jsonrpc: "2.0", id: 1, error }), {
          status: 400,
          headers: eventStream,
        }),
    );
    await using link = open(server.url);
    expect(await failure(link.peer.request("a", modern(), soon))).toMatchObject(error);
  });

  test("one too large fails its request with its id, and the stream goes on", async () => {
    const large = event(reply(1, { text: "x".repeat(50_000) }));
    const heard: number[] = [];
    const { error } = await ask(large + event(note(1)), {
      responseBytesMax: 10_000,
      peer: { onNotification: () => void heard.push(1) },
    });
    expect(error).toMatchObject({ code: "rpc_error", facts: { bytesMax: 10_000 } });
    expect(heard).toEqual([1]);
  });

  test("answers of one request may come on the stream of another", async () => {
    const streams = new Map<string, Stream>();
    await using server = serve((seen) => {
      const own = stream();
      streams.set(seen.method ?? "", own);
      return own.response;
    });
    await using link = open(server.url);
    const [a, b] = ["a", "b"].map((method) => link.peer.request(method, {}, soon));
    await until(() => streams.size === 2);
    streams.get("a")?.write(event(reply(2, { for: "b" })) + event(reply(1, { for: "a" })));
    expect((await a)?.response.result).toEqual({ for: "a" });
    expect((await b)?.response.result).toEqual({ for: "b" });
  });

  test("a stream that stays open behind its answer is left after a while", async () => {
    const held: Seen[] = [];
    await using server = serve((seen) => {
      held.push(seen);
      return stream(event(reply())).response;
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    await link.peer.request("a", modern(), soon);
    await until(() => held[0]?.signal.aborted === true);
  });
});
