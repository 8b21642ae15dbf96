/** Eras over HTTP (protocol.md 1.4): answers that prove a modern server, and its revisions. */
import { describe, expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { httpScripted } from "./http-kit.ts";
import type { Exchange } from "./http-kit.ts";
import { failureOf, modern, probed, revision, unsupported } from "./negotiate-http-kit.ts";

describe("modern", () => {
  test("a DiscoverResult is enough, and says what is to be remembered", async () => {
    const server = httpScripted(modern);
    await using client = await connect(server.options);
    expect(client.verdict).toEqual({
      era: "modern",
      revision,
      server: "scripted@2.0",
      capabilities: { tools: {}, prompts: {} },
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test.each([
    ["-32022 that lists ours", unsupported(revision)],
    ["-32020", { error: { code: -32020, message: "headers" } }],
    ["-32021", { error: { code: -32021, message: "capability" } }],
  ] as [string, Exchange][])(
    "%s is answered by another try, never by initialize",
    async (_, answer) => {
      const server = httpScripted(probed([answer], modern));
      await using client = await connect(server.options);
      expect(client.era).toBe("modern");
      expect(server.methods).toEqual(["server/discover", "server/discover"]);
    },
  );

  test.each([
    ["-32020", -32020, /refused server\/discover: no/],
    ["-32021", -32021, /refused server\/discover: no/],
    ["-32022", -32022, /revisions that we do not: 2026-07-28/],
  ])("%s twice is the server's last word", async (_, code, message) => {
    const no: Exchange = { error: { code, message: "no", data: { supported: [revision] } } };
    const server = httpScripted(probed([no, no]));
    const error = await failureOf(connect(server.options));
    expect(error).toMatchObject({ code: "server_start", facts: { server: "far" } });
    expect(error.message).toMatch(message);
    expect(server.methods).toEqual(["server/discover", "server/discover"]);
  });

  test("revisions that are newer than ours are an error, and never initialized", async () => {
    const server = httpScripted(probed([unsupported("2099-01-01")]));
    const error = await failureOf(connect(server.options));
    expect(error).toMatchObject({ code: "server_start", facts: { supported: ["2099-01-01"] } });
    expect(server.methods).toEqual(["server/discover"]);
  });
});
