/** The server itself: where it listens. */
import { describe, expect, test } from "bun:test";
import { stat, writeFile } from "node:fs/promises";

import { idleSeconds } from "../../lib/serve/exchange.ts";
import { serve } from "../../lib/serve/serve.ts";
import { clearSocket } from "../../lib/serve/socket-file.ts";
import { errorOf } from "../config/kit.ts";
import { tempDir } from "../harness.ts";
import { pem } from "../transport/fetch-kit.ts";
import { type Seen, testFace } from "./faces.ts";
import { serveOver } from "./kit.ts";
import { served } from "./served-kit.ts";

describe("where it listens", () => {
  test("a port that is taken is named, with a way to find its owner", async () => {
    await using it = served();
    const { port } = it.served;
    const error = await errorOf(() => served({ port: port! }));
    expect(error.code).toBe("config");
    expect(error.message).toContain(`port ${port} of 127.0.0.1 is taken`);
    expect(error.hint).toContain(`lsof -i :${port}`);
    expect((await it.ask("/hello")).status).toBe(200);
  });

  test.each(["0.0.0.0", "::", "192.0.2.1", "example.com"])(
    "%s without a token is refused before anything listens",
    async (hostname) => {
      const error = await errorOf(() => served({ hostname }));
      expect([error.code, error.hint]).toEqual([
        "usage",
        "set MCPHOST_TOKEN or give --token-file FILE",
      ]);
    },
  );

  test("with a token, all addresses are fine", async () => {
    await using it = served({ hostname: "0.0.0.0", tokens: [{ name: "me", token: "secret-1" }] });
    const url = `http://127.0.0.1:${it.served.port}/who`;
    expect((await fetch(url)).status).toBe(401);
    const headers = { authorization: "Bearer secret-1" };
    expect((await fetch(url, { headers })).status).toBe(200);
  });

  test("an address that is not ours is an error that names it", async () => {
    const tokens = [{ name: "me", token: "secret-1" }];
    const error = await errorOf(() => served({ hostname: "192.0.2.1", tokens }));
    expect([error.code, error.message]).toEqual([
      "config",
      expect.stringContaining("cannot listen at 192.0.2.1:0"),
    ]);
  });

  test("a socket is for our user alone, and gone with us", async () => {
    await using folder = await tempDir();
    const unix = folder.file("serve.sock");
    {
      await using it = served({ unix });
      expect([it.served.url, it.served.port]).toEqual([`unix:${unix}`, undefined]);
      expect((await stat(unix)).mode & 0o777).toBe(0o600);
      expect(await (await fetch("http://any.example/hello", { unix })).text()).toBe("hello");
      // A page reaches no socket, and what says to be one is none of ours.
      const headers = { origin: "http://any.example" };
      expect((await fetch("http://any.example/hello", { unix, headers })).status).toBe(403);
      expect((await errorOf(() => clearSocket(unix))).message).toContain("is taken");
      expect((await errorOf(() => served({ unix }))).code).toBe("config");
    }
    await expect(stat(unix)).rejects.toThrow();
  });

  test("a socket that a killed process left is taken over; what is no socket is left alone", async () => {
    await using folder = await tempDir();
    const unix = folder.file("serve.sock");
    const program = `Bun.serve({ unix: ${JSON.stringify(unix)}, fetch: () => new Response() }); console.log("up");`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    await child.stdout.getReader().read();
    child.kill("SIGKILL");
    await child.exited;
    await clearSocket(unix);
    await using it = served({ unix });
    expect((await fetch("http://any/hello", { unix })).status).toBe(200);
    const file = folder.file("precious");
    await writeFile(file, "x");
    expect((await errorOf(() => clearSocket(file))).message).toContain("is no socket");
    await clearSocket(folder.file("nothing"));
    expect(it.served.url).toBe(`unix:${unix}`);
  });

  test("TLS, where Origin and address say https", async () => {
    const [cert, key, ca] = await Promise.all([
      pem("server.pem"),
      pem("server.key.pem"),
      pem("ca.pem"),
    ]);
    await using it = served({ tls: { cert, key } });
    expect(it.served.url).toBe(`https://127.0.0.1:${it.served.port}`);
    const ask = (headers: Record<string, string>) =>
      fetch(`${it.served.url}/hello`, { tls: { ca }, headers });
    expect(await (await ask({})).text()).toBe("hello");
    expect((await ask({ origin: it.served.url })).status).toBe(200);
    expect((await ask({ origin: `http://127.0.0.1:${it.served.port}` })).status).toBe(403);
  });

  test("a certificate that is none is said to be it", async () => {
    const key = await pem("server.key.pem");
    const cert = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n";
    const error = await errorOf(() => served({ tls: { cert, key } }));
    expect([error.code, error.message]).toEqual([
      "config",
      expect.stringContaining("the certificate or its key cannot be used"),
    ]);
  });

  test("what there is to ask stands at /", async () => {
    await using it = served();
    const text = await (await it.ask("/")).text();
    expect(text).toContain("GET    /hello\n");
    expect(text).toContain("POST   /echo\n");
  });

  test("two faces for one path are a fault of ours", async () => {
    const seen: Seen = { asked: [], signals: [] };
    const face = testFace(seen);
    expect(() => serveOver({}, { faces: [face, face] })).toThrow("two faces answer GET /hello");
  });
});

test("a connection may idle for longer than proxies and balancers keep theirs: 2 minutes, most of them less", () => {
  expect(idleSeconds).toBeGreaterThan(120);
  // Bun takes no more.
  expect(idleSeconds).toBeLessThanOrEqual(255);
});

test("the host belongs to whoever opened it", async () => {
  await using it = serveOver({ a: {} }, {});
  await it.served.stop();
  expect((await it.host.call({ tool: "a_echo", arguments: {} })).status).toBe("completed");
  expect(serve).toBeFunction();
});
