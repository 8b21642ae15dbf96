/** Streamable HTTP: answers that are taken, in any form, and JSON-RPC errors, which come before the status. */
import { describe, expect, test } from "bun:test";

import { failure, open, serve, soon } from "../fixtures/http/kit.ts";
import { ask, html, json, refusal, result } from "./http-answers-kit.ts";

const latin1 = (text: string) =>
  Buffer.from(result(1).replace('"n":1.50', `"t":"${text}"`), "latin1");

describe("an answer that is taken", () => {
  test.each<[string, string, Record<string, string>]>([
    ["JSON", result(1), json],
    ["JSON with a charset", result(1), { "content-type": 'Application/JSON; charset="UTF-8"' }],
    ["a byte order mark", `\uFEFF${result(1)}`, json],
    ["JSON as plain text", result(1), { "content-type": "text/plain" }],
    ["JSON as HTML", result(1), html],
    ["JSON of a type of its own", result(1), { "content-type": "application/vnd.x+json" }],
    ["the id as a string", result("1"), json],
    ["no jsonrpc member (G005)", '{"id":1,"result":{"n":1.50}}', json],
    ["another jsonrpc (G005)", '{"jsonrpc":"1.0","id":1,"result":{"n":1.50}}', json],
  ])("%s", async (_name, body, headers) => {
    const { text } = await ask(new Response(body, { headers }));
    expect(text).toBe(body.replace("\uFEFF", ""));
  });

  test("in another encoding: it is taken, and told of once", async () => {
    const told = ["its HTTP answer is not UTF-8: characters are lost"];
    const short = await ask(new Response(latin1("café"), { headers: json }));
    expect(short.text).toContain("caf\ufffd");
    expect(short.link.said("warn")).toEqual(told);
    const chunks = new Response(latin1("café")).body!;
    const chunked = await ask(new Response(chunks, { headers: json }));
    expect(chunked.link.said("warn")).toEqual(told);
    for (const mark of ["", "\uFEFF"]) {
      const written = `${mark}${result(1).replace('"n":1.50', '"t":"\ufffdé"')}`;
      const { link } = await ask(new Response(written, { headers: json }));
      expect(link.said("warn")).toEqual([]);
    }
  });

  test("without a content type", async () => {
    const bytes = new TextEncoder().encode(result(1));
    expect((await ask(new Response(bytes))).text).toBe(result(1));
  });

  test("an array of them (2025-03-26), in any order", async () => {
    const note = { jsonrpc: "2.0", method: "notifications/message", params: {} };
    const heard: string[] = [];
    const batch = `[${JSON.stringify(note)},${result(1)}]`;
    const { text } = await ask(new Response(batch, { headers: json }), {
      peer: { onNotification: (method) => void heard.push(method) },
    });
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"n":1.5}}');
    expect(heard).toEqual(["notifications/message"]);
  });

  test.each(["gzip", "br", "deflate", "zstd"] as const)("B029: in %s", async (encoding) => {
    const { compress } = await import("../fixtures/http/compress.ts");
    const body = await compress(encoding, result(1));
    const headers = { ...json, "content-encoding": encoding };
    expect((await ask(new Response(body, { headers }))).text).toBe(result(1));
  });

  test("of many megabytes in chunks, exactly", async () => {
    const part = "grüße 🎉 ".repeat(1000);
    const whole = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: part.repeat(500) } });
    const bytes = new TextEncoder().encode(whole);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + 65_537));
        at += 65_537;
      },
    });
    expect((await ask(new Response(body, { headers: json }))).text === whole).toBe(true);
  });
});

describe("a JSON-RPC error comes before the status, and is the request's whatever id it has", () => {
  test.each([400, 403, 404, 405, 406, 409, 422, 429, 500, 503])(
    "under status %d",
    async (status) => {
      for (const id of [1, null, undefined]) {
        const body = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: refusal };
        const { error } = await ask(Response.json(body, { status }));
        expect(error).toMatchObject(refusal);
      }
    },
  );

  test("O011: with code 0, under 200", async () => {
    const body = { jsonrpc: "2.0", id: 1, error: { code: 0, message: "zero" } };
    expect((await ask(Response.json(body))).error).toMatchObject({ code: 0, message: "zero" });
  });

  test("B053: parse errors under id null fail the one that they answer, and no other", async () => {
    await using server = serve((seen) => {
      if (seen.method !== "bad") return undefined;
      const error = { code: -32700, message: "Parse error" };
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
    });
    await using link = open(server.url);
    const [good, bad] = await Promise.all([
      link.peer.request("good", {}, soon),
      failure(link.peer.request("bad", {}, soon)),
    ]);
    expect(good.response.result).toEqual({ from: "good" });
    expect(bad).toMatchObject({ code: -32700, message: "Parse error" });
  });
});
