/** URLs that servers ask legacy clients to visit. */
import { describe, expect, test } from "bun:test";

import { collect, gatewayOver, told } from "./gateway-kit.ts";
import { answering, asker } from "./gateway-relay-kit.ts";

describe("URLs to be visited", () => {
  const visit = {
    mode: "url",
    message: "Sign in",
    url: "https://example.com/",
    elicitationId: "e1",
  };

  test("that they were is told to the client alone", async () => {
    await using kit = gatewayOver({ s: asker() });
    const [client, other] = [await answering(kit), await answering(kit)];
    const elsewhere = collect(await other.ask({ headers: { accept: "text/event-stream" } }));
    const method = "notifications/elicitation/complete";
    const all = await told(await client.call("tell", { method, params: { elicitationId: "e1" } }));
    expect(all[0]).toEqual({ jsonrpc: "2.0", method, params: { elicitationId: "e1" } });
    await told(await other.call("seen"));
    expect(elsewhere).toEqual([]);
  });

  test("the error that asks for some is passed as it is", async () => {
    await using kit = gatewayOver({ s: asker() });
    const client = await answering(kit);
    const error = { code: -32042, message: "First sign in", data: { elicitations: [visit] } };
    const [one] = await told(await client.call("refuse", { error }));
    expect(one?.error).toEqual(error);
  });
});
