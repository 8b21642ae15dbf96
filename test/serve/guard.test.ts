/** Who may ask: Host and Origin, as the guard takes them. */
import { describe, expect, test } from "bun:test";

import { createGuard, type GuardOptions, isLoopback } from "../../lib/serve/guard.ts";
import { isHttpError } from "../../lib/serve/http-error.ts";

/** The status that the guard refuses a request with; 200 where it lets it in. */
function verdict(headers: Record<string, string>, options: Partial<GuardOptions> = {}): number {
  const guard = createGuard({
    hostname: "127.0.0.1",
    port: () => 3003,
    secure: false,
    origins: [],
    publicUrl: undefined,
    tokens: [],
    startKey: undefined,
    ...options,
  });
  try {
    guard.check(new Request("http://any/", { headers }));
    return 200;
  } catch (error) {
    if (isHttpError(error)) return error.status;
    throw error;
  }
}

describe("Host", () => {
  test.each(["localhost:3003", "127.0.0.1:3003", "[::1]:3003", "LocalHost:3003"])(
    "ours: %s",
    (host) => {
      expect(verdict({ host })).toBe(200);
    },
  );

  test.each([
    "evil.example",
    "evil.example:3003",
    "localhost",
    "localhost:3004",
    "127.0.0.1.evil.example:3003",
    "localhost:3003, evil.example",
    "localhost:3003.evil.example",
    "192.168.1.5:3003",
    "0.0.0.0:3003",
    "",
  ])("not ours: %j", (host) => {
    expect(verdict({ host })).toBe(403);
  });

  test("none at all is a bad request", () => {
    expect(verdict({})).toBe(400);
  });

  test("the public address counts, with its own port", () => {
    const publicUrl = "https://tools.example.com";
    expect(verdict({ host: "tools.example.com" }, { publicUrl })).toBe(200);
    expect(verdict({ host: "tools.example.com:3003" }, { publicUrl })).toBe(403);
  });

  test("the default port may be left out", () => {
    expect(verdict({ host: "localhost" }, { port: () => 80 })).toBe(200);
    expect(verdict({ host: "localhost" }, { port: () => 443, secure: true })).toBe(200);
    expect(verdict({ host: "localhost" }, { port: () => 443 })).toBe(403);
  });

  test("at all addresses, an address is ours and a name is not", () => {
    const everywhere = { hostname: "0.0.0.0" };
    expect(verdict({ host: "192.168.1.5:3003" }, everywhere)).toBe(200);
    expect(verdict({ host: "[fe80::1]:3003" }, { hostname: "::" })).toBe(200);
    expect(verdict({ host: "192.168.1.5:80" }, everywhere)).toBe(403);
    expect(verdict({ host: "rebound.example:3003" }, everywhere)).toBe(403);
  });

  test("a socket has no name", () => {
    expect(verdict({ host: "anything" }, { hostname: undefined })).toBe(200);
  });

  test.each(["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])("%s is loopback", (name) => {
    expect(isLoopback(name)).toBe(true);
  });

  test.each(["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "localhost.evil.example"])(
    "%s is not",
    (name) => {
      expect(isLoopback(name)).toBe(false);
    },
  );
});

describe("Origin", () => {
  const host = "localhost:3003";

  test.each(["http://localhost:3003", "http://127.0.0.1:3003", "http://[::1]:3003"])(
    "ours: %s",
    (origin) => {
      expect(verdict({ host, origin })).toBe(200);
    },
  );

  test.each([
    "null",
    "",
    "http://evil.example",
    "http://localhost:3004",
    "http://localhost",
    "https://localhost:3003",
    "http://localhost:3003.evil.example",
    "file://",
    "chrome-extension://abc",
  ])("not ours: %j", (origin) => {
    expect(verdict({ host, origin })).toBe(403);
  });

  test("none at all is fine: no page asks without", () => {
    expect(verdict({ host })).toBe(200);
  });

  test("a configured one may ask, however it is written; its neighbours may not", () => {
    const options = { origins: ["http://page.example:8080/", "https://Other.example"] };
    expect(verdict({ host, origin: "http://page.example:8080" }, options)).toBe(200);
    expect(verdict({ host, origin: "https://other.example" }, options)).toBe(200);
    expect(verdict({ host, origin: "http://page.example" }, options)).toBe(403);
    expect(verdict({ host, origin: "null" }, options)).toBe(403);
  });
});
