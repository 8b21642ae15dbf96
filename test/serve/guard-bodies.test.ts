/** Bodies of requests: their types, codings and sizes, and those that do not come whole. */
import { describe, expect, test } from "bun:test";

import { sendRaw, serveOver } from "./kit.ts";
import { served } from "./served-kit.ts";

describe("bodies", () => {
  test.each(["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])(
    "%s is JSON",
    async (type) => {
      await using it = served();
      const answer = await it.ask("/echo", post('{"a":12345678901234567890}', type));
      // No digit is lost on the way.
      expect(await answer.text()).toBe('{"got":{"a":12345678901234567890}}');
    },
  );

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/json-rpc",
    "text/plain; application/json",
    undefined,
  ])("415 for %p", async (type) => {
    await using it = served();
    const answer = await it.ask("/echo", post(new TextEncoder().encode("{}"), type));
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: { code: "unsupported_media_type" } });
  });

  test.each([undefined, "application/x-www-form-urlencoded"])(
    "what has no body need not say what it is, nor %p",
    async (type) => {
      await using kit = serveOver({ s: {} });
      const headers = { ...(type && { "content-type": type }) };
      const answer = await kit.ask("/tools/s_echo", { method: "POST", headers });
      expect([answer.status, await answer.json()]).toMatchObject([
        200,
        { content: [{ type: "text" }] },
      ]);
      const none = await kit.ask("/tools", { method: "POST", headers });
      expect([none.status, await none.json()]).toMatchObject([400, { code: 400 }]);
    },
  );

  // RFC 9110, 8.4 and 12.5.3
  test.each([
    ["gzip", 415],
    ["br, gzip", 415],
    ["identity", 200],
  ])("a body in %s: %d", async (coding, status) => {
    await using it = served();
    const asked = post(new TextEncoder().encode("{}"), "application/json");
    const headers = { ...asked.headers, "content-encoding": coding };
    const answer = await it.ask("/echo", { ...asked, headers });
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.headers.get("accept-encoding")).toBe("identity");
    expect(await answer.json()).toMatchObject({
      error: {
        code: "unsupported_media_type",
        message: `a body in the coding ${coding} is not read`,
        hint: "send it as it is, without Content-Encoding",
      },
    });
  });

  test.each(["", "{", "[1,]", "nope", '{"a":1}{"b":2}', "\u0000"])("400 for %j", async (body) => {
    await using it = served();
    const answer = await it.ask("/echo", post(body, "application/json"));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "bad_request" } });
  });

  test("400 for what is not UTF-8", async () => {
    await using it = served();
    const bytes = Uint8Array.of(0x22, 0xff, 0xfe, 0x22);
    expect((await it.ask("/echo", post(bytes, "application/json"))).status).toBe(400);
  });

  test("12 MB come whole", async () => {
    await using it = served();
    const text = JSON.stringify("x".repeat(12_000_000));
    const answer = await it.ask("/length", post(text, "application/json"));
    expect(await answer.json()).toBe(text.length);
  });

  test("at the bound is fine; over it is 413 as JSON, with a length and without", async () => {
    await using it = served({ bodyBytesMax: 100_000 });
    const fits = await it.ask("/length", post("x".repeat(100_000), "application/json"));
    expect(await fits.json()).toBe(100_000);
    const over = await it.ask("/length", post("x".repeat(100_001), "application/json"));
    expect([over.status, await over.json()]).toMatchObject([413, { error: { code: "too_large" } }]);
    // It says less than it sends in chunks, without any length.
    const pieces = Array.from({ length: 101 }, () => "x".repeat(1000));
    const body = new ReadableStream({
      pull: (controller) => {
        const piece = pieces.pop();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const chunked = await it.ask("/length", post(body, "application/json"));
    expect([chunked.status, await chunked.json()]).toMatchObject([
      413,
      { error: { code: "too_large" } },
    ]);
  });

  test.each([
    [20, 200],
    [200_000, 413],
  ])("one of %d bytes that says so twice: %d", async (bytes, status) => {
    await using it = served({ bodyBytesMax: 100_000 });
    const port = it.served.port!;
    const length = `Content-Length: ${bytes}\r\n`;
    const head = `POST /length HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n`;
    const text = JSON.stringify("x".repeat(bytes - 2));
    const said = await sendRaw(port, `${head}${length}${length}\r\n${text}`);
    expect(said).toStartWith(`HTTP/1.1 ${status} `);
  });

  test("one that takes too long is 408; one that breaks off disturbs nobody", async () => {
    await using it = served({ bodyMs: 150 });
    const port = it.served.port!;
    const head = `POST /echo HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    expect(await sendRaw(port, `${head}{"a":`, 5000)).toMatch(/^HTTP\/1.1 408 .*request_timeout/s);
    await sendRaw(port, `${head}{"a":`, 20);
    expect((await it.ask("/hello")).status).toBe(200);
  });
});

/** A POST of a body that says to be of a type, or says nothing. */
function post(body: Bun.BodyInit, type?: string) {
  return { method: "POST", body, headers: type === undefined ? {} : { "content-type": type } };
}
