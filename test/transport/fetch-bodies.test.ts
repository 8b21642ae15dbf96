/** Bodies that were compressed: what they hold, and where the bound on them is felt. */
import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { readBody } from "../../lib/transport/http-body.ts";
import { fetchOf, httpServer, post, rawServer } from "./fetch-kit.ts";

const encoders = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: Bun.zstdCompressSync,
} satisfies Record<string, (bytes: Uint8Array) => Uint8Array>;

/** Serves one body under each encoding, by its name as the path. */
function serve(body: Uint8Array) {
  const packed = new Map(Object.entries(encoders).map(([name, pack]) => [name, pack(body)]));
  return httpServer(({ url }) => {
    const encoding = new URL(url).pathname.slice(1);
    const bytes = packed.get(encoding);
    return new Response(bytes?.slice() ?? null, { headers: { "content-encoding": encoding } });
  });
}

const names = Object.keys(encoders);

describe.each(names)("%s", (name) => {
  test("is asked for, and unpacked", async () => {
    const text = JSON.stringify({ text: "ä".repeat(10_000) });
    await using server = serve(new TextEncoder().encode(text));
    using fetch = fetchOf();
    const response = await fetch(new URL(name, server.url).href, post);
    const bytes = Buffer.byteLength(text);
    expect(await readBody(response, 1_000_000)).toEqual({ text, bytes });
  });

  test("a bomb is left at the bound, long before it is whole", async () => {
    await using server = serve(new Uint8Array(64 * 1024 * 1024));
    using fetch = fetchOf();
    const response = await fetch(new URL(name, server.url).href, post);
    const { oversize = 0 } = await readBody(response, 1_000_000);
    expect(oversize).toBeGreaterThan(1_000_000);
    expect(oversize).toBeLessThan(8_000_000);
    // The next request is none the worse.
    expect((await fetch(new URL(name, server.url).href, post)).status).toBe(200);
  });
});

test("what is said to be compressed and is not is an error", async () => {
  using server = rawServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc");
  });
  using fetch = fetchOf();
  const read = async () => await readBody(await fetch(server.url, post), 1000);
  await expect(read()).rejects.toThrow();
});

test("all encodings are offered", async () => {
  await using server = httpServer(
    (request) => new Response(request.headers.get("accept-encoding")),
  );
  using fetch = fetchOf();
  const offered = (await (await fetch(server.url, post)).text()).split(/, ?/);
  expect(offered.toSorted()).toEqual(["br", "deflate", "gzip", "zstd"]);
});
