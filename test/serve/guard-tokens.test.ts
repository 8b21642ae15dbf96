/** Tokens: who needs one, which opens what, and what needs none. */
import { describe, expect, test } from "bun:test";

import { served } from "./served-kit.ts";

describe("tokens", () => {
  const tokens = [
    { name: "ci", token: "token-of-ci", tools: ["fs_read*"] },
    { name: "me", token: "token-of-me" },
  ];

  test("with any, a request without one is 401; each has its owner and its tools", async () => {
    await using it = served({ tokens });
    const without = await it.ask("/who");
    expect(without.status).toBe(401);
    expect(without.headers.get("www-authenticate")).toStartWith("Bearer");
    expect(await without.json()).toMatchObject({ error: { code: "unauthorized" } });
    const all = { hasToken: true, isStranger: false, reads: true };
    expect(await (await it.ask("/who", { token: "token-of-ci" })).json()).toEqual({
      ...all,
      owner: "ci",
      writes: false,
    });
    expect(await (await it.ask("/who", { token: "token-of-me" })).json()).toEqual({
      ...all,
      owner: "me",
      writes: true,
    });
  });

  test.each([
    "Bearer wrong",
    "Bearer token-of-c",
    "Bearer token-of-ci2",
    "Bearer token-of-ci token-of-me",
    "Bearer null",
    "Basic",
    "Basic token-of-ci",
    "token-of-ci",
  ])("401 for %j", async (authorization) => {
    await using it = served({ tokens });
    expect((await it.ask("/who", { headers: { authorization } })).status).toBe(401);
    // A wrong one is no better where none is asked for, or where the route is open.
    expect((await it.ask("/open", { headers: { authorization } })).status).toBe(401);
    await using free = served();
    expect((await free.ask("/who", { headers: { authorization } })).status).toBe(401);
  });

  test.each(["", "Bearer", "Bearer ", "bearer"])(
    "%j is no token, and no wrong one",
    async (authorization) => {
      const headers = { authorization };
      await using it = served({ tokens });
      expect((await it.ask("/who", { headers })).status).toBe(401);
      expect(await (await it.ask("/open", { headers })).json()).toMatchObject({ isStranger: true });
      await using free = served();
      expect((await free.ask("/who", { headers })).status).toBe(200);
    },
  );

  test("the scheme may be written in any case", async () => {
    await using it = served({ tokens });
    const headers = { authorization: "bEARER  token-of-ci " };
    expect((await it.ask("/who", { headers })).status).toBe(200);
  });

  test("an open route is answered without one, to a stranger", async () => {
    await using it = served({ tokens });
    const stranger = await (await it.ask("/open")).json();
    expect(stranger).toMatchObject({ isStranger: true, hasToken: false, reads: false });
    expect(await (await it.ask("/open", { token: "token-of-ci" })).json()).toMatchObject({
      isStranger: false,
      owner: "ci",
    });
  });

  test("what nothing answers is told nobody without a token", async () => {
    await using it = served({ tokens });
    expect((await it.ask("/nothing")).status).toBe(401);
    expect((await it.ask("/nothing", { token: "token-of-ci" })).status).toBe(404);
  });

  test("but that there is no way to sign in is told who looks for one", async () => {
    await using it = served({ tokens });
    for (const path of ["oauth-protected-resource/mcp", "oauth-authorization-server"])
      expect((await it.ask(`/.well-known/${path}`)).status).toBe(404);
    const headers = { host: "evil.example" };
    expect((await it.ask("/.well-known/oauth-protected-resource", { headers })).status).toBe(403);
  });

  test("deciding needs a token or the start key, on loopback too; an Origin is none", async () => {
    const origin = "http://page.example";
    await using it = served({ startKey: "start-key-1", origins: [origin] });
    const decide = (options: object = {}) => it.ask("/decide", { method: "POST", ...options });
    expect((await decide()).status).toBe(401);
    expect((await decide({ headers: { origin } })).status).toBe(401);
    const { error } = (await (await decide()).json()) as { error: object };
    expect(error).toMatchObject({
      message: "this needs the start key",
      hint: "send Authorization: Bearer KEY",
    });
    expect((await decide({ token: "start-key-2" })).status).toBe(401);
    expect(await (await decide({ token: "start-key-1" })).json()).toMatchObject({
      owner: "default",
      hasToken: true,
      writes: true,
    });
    expect(await (await it.ask("/who")).json()).toMatchObject({ hasToken: false, writes: true });
  });
});
