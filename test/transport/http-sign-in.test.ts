/** Streamable HTTP: refusals that ask for a sign-in or another address, and what they say to do. */
import { describe, expect, test } from "bun:test";

import { ask } from "./http-answers-kit.ts";

describe("sign-in", () => {
  test("401 gives what the challenge says, and how to give a token", async () => {
    const challenge =
      'Basic realm="x", Bearer realm="y", error="invalid_token", scope="a b", resource_metadata="https://x.test/.well-known/r?a=1"';
    const { error } = await ask(
      Response.json(
        { error: "invalid_token" },
        { status: 401, headers: { "www-authenticate": challenge } },
      ),
    );
    expect(error).toMatchObject({
      code: "auth_required",
      facts: {
        httpStatus: 401,
        challenge: {
          scheme: "Bearer",
          error: "invalid_token",
          scope: "a b",
          resourceMetadata: "https://x.test/.well-known/r?a=1",
        },
      },
      hint: expect.stringContaining("Authorization: Bearer …"),
    });
  });

  test("401 stays that with a JSON-RPC error in it", async () => {
    const body = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Unauthorized" } };
    const { error } = await ask(Response.json(body, { status: 401 }));
    expect(error).toMatchObject({
      code: "auth_required",
      message: expect.stringContaining("Unauthorized"),
    });
  });

  test.each([
    ['Basic realm="x"', "", "Authorization: Basic …"],
    ['Bearer error="invalid_token", error_description="it ran out"', "", 'it says "it ran out"'],
    ['Bearer error="insufficient_scope", scope="a:read a:write"', "", "the scopes: a:read a:write"],
  ])("what is asked for is what is told: %s", async (challenge, body, words) => {
    for (const status of challenge.includes("scope") ? [401, 403] : [401]) {
      const headers = { "www-authenticate": challenge };
      const { error } = await ask(new Response(body, { status, headers }));
      expect(error).toMatchObject({ code: "auth_required", hint: expect.stringContaining(words) });
    }
  });

  test.each([
    [407, "HTTP_PROXY"],
    [413, "more than it takes"],
    [421, "try localhost for 127.0.0.1"],
  ])("%d says what to do", async (status, words) => {
    const { error } = await ask(new Response("no", { status }));
    expect(error.hint).toContain(words);
  });

  test("O005: 403 shows its body", async () => {
    const { error } = await ask(
      new Response("Access is only allowed at localhost:1", { status: 403 }),
    );
    expect(error).toMatchObject({ code: "auth_required", facts: { httpStatus: 403 } });
    expect(error.message).toEndWith("(Forbidden) to first: Access is only allowed at localhost:1");
  });
});
