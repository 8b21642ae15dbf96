/** Eras over HTTP (protocol.md 1.4): what is remembered of a server, and what shows that it is stale. */
import { describe, expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import type { Verdict } from "../../lib/client/connect-types.ts";
import { httpScripted, unreached } from "./http-kit.ts";
import type { Asked, Exchange } from "./http-kit.ts";
import { handshake, legacy, modern, revision, unsupported } from "./negotiate-http-kit.ts";

describe("remembered as modern", () => {
  const verdict: Verdict = {
    era: "modern",
    revision,
    server: "@scope/name@2.0",
    capabilities: { tools: {} },
  };

  test("nothing is sent before it is used", async () => {
    const server = httpScripted(modern, { verdict });
    await using client = await connect(server.options);
    expect(client).toMatchObject({
      era: "modern",
      revision,
      capabilities: { tools: {} },
      serverInfo: { name: "@scope/name", version: "2.0" },
    });
    expect(client.verdict).toBe(verdict);
    await client.listTools();
    await client.callTool("one", {});
    expect(server.methods).toEqual(["tools/list", "tools/call"]);
  });

  const lost = { code: "server_exit", facts: { sent: false, sessionLost: true, eraLost: true } };

  test.each([
    ["a legacy server", legacy, ["tools/call", "server/discover"]],
    [
      "a server that refuses by its status",
      ({ method }: Asked): Exchange => (method === "x" ? undefined : { status: 400 }),
      ["tools/call", "server/discover"],
    ],
    ["another revision", (): Exchange => unsupported("2099-01-01"), ["tools/call"]],
  ] as [string, (asked: Asked) => Exchange, string[]][])(
    "%s instead is a link to be made anew",
    async (_, script, methods) => {
      const refusing = (asked: Asked) =>
        asked.method === "tools/call" && script === legacy
          ? ({ error: { code: -32000, message: "no session" } } as const)
          : script(asked);
      const server = httpScripted(refusing, { verdict });
      await using client = await connect(server.options);
      const error = await client.callTool("one", {}).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(lost);
      expect(server.methods).toEqual(methods);
    },
  );

  test("an error of a server that is modern still is its own, asked about once", async () => {
    const server = httpScripted(
      (asked) =>
        asked.method === "tools/call"
          ? { error: { code: -32602, message: "no such tool" } }
          : modern(asked),
      { verdict },
    );
    await using client = await connect(server.options);
    const calls = Array.from({ length: 5 }, () =>
      client.callTool("two", {}).catch((error: unknown) => error),
    );
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: -32602 });
    await client.callTool("two", {}).catch(() => {});
    expect(server.methods.filter((method) => method === "server/discover")).toHaveLength(1);
  });

  test("trouble of the network says nothing of the era", async () => {
    const server = httpScripted(() => ({ failure: unreached() }), { verdict });
    await using client = await connect(server.options);
    const error = await client.listTools().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ facts: { errno: "ECONNREFUSED" } });
    expect(server.methods).toEqual(["tools/list"]);
  });
});

describe("remembered as legacy", () => {
  const verdict: Verdict = { era: "legacy", revision: "2025-11-25", server: "scripted@1.0" };

  test("initialize comes first", async () => {
    const server = httpScripted(legacy, { verdict });
    await using client = await connect(server.options);
    expect(client.verdict).toBe(verdict);
    expect(server.methods).toEqual(handshake.slice(1));
  });

  test.each([
    ["an error", unsupported(revision)],
    ["HTTP 404", { status: 404 }],
  ] as [string, Exchange][])("%s to initialize leads to the probe", async (_, answer) => {
    const server = httpScripted(
      (asked) => (asked.method === "initialize" ? answer : modern(asked)),
      { verdict },
    );
    await using client = await connect(server.options);
    expect(client.verdict).toMatchObject({ era: "modern", revision });
    expect(server.methods).toEqual(["initialize", "server/discover"]);
  });
});
