/** Hosts, origins and preflights over the wire, and what pages may read. */
import { describe, expect, test } from "bun:test";

import { sendRaw } from "./kit.ts";
import { served } from "./served-kit.ts";

describe("over the wire", () => {
  test("an evil Host, Origin or no Host at all reaches no route", async () => {
    await using it = served();
    const port = it.served.port!;
    const get = (...headers: string[]) =>
      sendRaw(port, `GET /hello HTTP/1.1\r\n${headers.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    expect(await get("Host: evil.example")).toMatch(/^HTTP\/1.1 403 .*"code":"forbidden"/s);
    expect(await get(`Host: localhost:${port}`, "Host: evil.example")).toMatch(/^HTTP\/1.1 403 /);
    expect(await get(`Host: localhost:${port}`, "Origin: null")).toMatch(/^HTTP\/1.1 403 /);
    expect(await sendRaw(port, "GET /hello HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
    // The target of a proxy's request names another host than the header, which counts.
    const absolute = `GET http://evil.example/hello HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(port, absolute)).toMatch(/^HTTP\/1.1 (200|400|404) /);
    expect(it.seen.asked.filter((path) => path !== "GET /hello")).toEqual([]);
  });

  test("no CORS by default, not even for ours", async () => {
    await using it = served();
    const answer = await it.ask("/hello", { headers: { origin: it.served.url } });
    expect(answer.status).toBe(200);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  });

  test("a cache keeps the answers of pages apart from those of others", async () => {
    await using it = served({ origins: ["http://page.example"] });
    for (const path of ["/hello", "/nothing"])
      expect((await it.ask(path)).headers.get("vary")).toBe("origin");
  });

  test("a preflight is answered for the configured origins alone, and needs no token", async () => {
    const origin = "http://page.example";
    await using it = served({ origins: [origin], tokens: [{ name: "ci", token: "secret-1" }] });
    const preflight = (from: string) =>
      it.ask("/echo", {
        method: "OPTIONS",
        headers: {
          origin: from,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,authorization",
        },
      });
    const allowed = await preflight(origin);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
    expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
    expect(allowed.headers.get("access-control-allow-headers")).toBe("content-type,authorization");
    expect((await preflight("http://evil.example")).status).toBe(403);
    expect((await preflight("null")).status).toBe(403);
    const own = await preflight(it.served.url);
    expect(own.status).toBe(204);
    expect(own.headers.get("access-control-allow-origin")).toBeNull();
    expect(it.seen.asked).toEqual([]);
  });

  test.each(["http://page.example", "chrome-extension://ABCdef", "tauri://localhost", "app://."])(
    "a page of a configured origin (%s) can read every answer, errors too",
    async (origin) => {
      await using it = served({ origins: [origin] });
      for (const path of ["/hello", "/nothing", "/fails"]) {
        const answer = await it.ask(path, { headers: { origin } });
        expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
        expect(answer.headers.get("vary")).toBe("origin");
      }
    },
  );

  test("and what a 401 asks for, and the session", async () => {
    const origin = "http://page.example";
    await using it = served({ origins: [origin], tokens: [{ name: "ci", token: "secret-1" }] });
    const { status, headers } = await it.ask("/hello", { headers: { origin } });
    const exposed = headers.get("access-control-expose-headers")?.split(", ");
    expect(status).toBe(401);
    expect(exposed).toEqual(expect.arrayContaining(["www-authenticate", "mcp-session-id"]));
  });
});
