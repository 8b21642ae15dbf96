/** Cookies of a remote server: what is kept of them, and which request they go back with (RFC 6265). */
import { describe, expect, test } from "bun:test";

import { Cookies } from "../../lib/transport/cookies.ts";
import { fetchOf, httpServer, post } from "./fetch-kit.ts";

const here = "https://server.example/mcp";

/** Tells the cookies of a request, and sets one. */
const echo = (request: Request) =>
  Response.json(request.headers.get("cookie"), { headers: { "set-cookie": "lb=1" } });

/** What a request to `to` says, of what was set at `here`, `laterMs` after that. */
function sentBack(lines: readonly string[], to = here, laterMs = 0): string | null {
  let now = 1_000_000_000_000;
  const cookies = new Cookies(() => now);
  const headers = new Headers();
  for (const line of lines) headers.append("set-cookie", line);
  cookies.take(new Response(null, { headers }), new URL(here));
  now += laterMs;
  return cookies.dress({}, new URL(to)).get("cookie");
}

describe("which are sent back", () => {
  test.each([
    ["as they were written", ["LB=a%20b+c/==; Path=/; HttpOnly"], here, "LB=a%20b+c/=="],
    ["several", ["a=1", "b=2; SameSite=None; Secure"], here, "a=1; b=2"],
    ["the last of a name", ["a=1", "a=2"], here, "a=2"],
    ["whatever their Domain", ["a=1; Domain=.example"], here, "a=1"],
    ["not to another host", ["a=1; Domain=.example"], "https://other.example/mcp", null],
    ["not to another port", ["a=1"], "https://server.example:8443/mcp", null],
    ["not to another scheme", ["a=1"], "http://server.example/mcp", null],
    ["below their path", ["a=1; Path=/mcp"], "https://server.example/mcp/x", "a=1"],
    ["not beside it", ["a=1; Path=/mcp"], "https://server.example/mcpx", null],
    ["not what is none", ["a", "=1", "", "b=2"], here, "b=2"],
    ["not what was taken back", ["a=1", "a=; Max-Age=0"], here, null],
    ["not what is long over", ["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], here, null],
    ["not what is too large", [`a=${"x".repeat(5000)}`, "b=2"], here, "b=2"],
  ])("%s", (_what, lines, to, sent) => {
    expect(sentBack(lines, to)).toBe(sent);
  });

  test("until their time is over", () => {
    const lines = ["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2"];
    expect(sentBack(lines, here, 59_999)).toBe("a=1; b=2");
    expect(sentBack(lines, here, 60_000)).toBe("b=2");
  });

  test("no more than a client has to keep", () => {
    const lines = Array.from({ length: 60 }, (_, at) => `c${at}=1`);
    expect(sentBack(lines)?.split("; ")).toHaveLength(50);
  });
});

test("a secure one does not go over plain HTTP", () => {
  const cookies = new Cookies();
  const plain = new URL("http://server.example/mcp");
  const headers = { "set-cookie": "a=1; Secure" };
  cookies.take(new Response(null, { headers }), plain);
  expect(cookies.dress({}, plain).has("cookie")).toBe(false);
});

test("of one fetch, behind the cookies of the config", async () => {
  await using server = httpServer(echo);
  await using other = httpServer(echo);
  using fetch = fetchOf({ headers: { Cookie: "user=me" } });
  using apart = fetchOf();
  const said = async (from: typeof fetch, url: string) => (await from(url, post)).json();
  expect(await said(fetch, server.url)).toBe("user=me");
  expect(await said(fetch, server.url)).toBe("user=me; lb=1");
  expect(await said(fetch, other.url)).toBe("user=me");
  expect(await said(apart, server.url)).toBeNull();
});
