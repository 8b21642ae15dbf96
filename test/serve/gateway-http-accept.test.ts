/** Which types a legacy client of the gateway over HTTP accepts, and what it gets (protocol.md 2.4). */
import { afterAll, describe, expect, test } from "bun:test";

import { list } from "./gateway-http-kit.ts";
import { answerTo, full, gatewayOver, session, told } from "./gateway-kit.ts";

const kit = gatewayOver({ old: full("legacy"), young: full("modern") }, { tokens: [] });

afterAll(() => kit[Symbol.asyncDispose]());

describe("legacy sessions", () => {
  test("both types are to be accepted; who takes one alone gets that", async () => {
    const one = await session(kit);
    const call = {
      params: { name: "old_slow", arguments: { steps: 2 }, _meta: { progressToken: 1 } },
    };
    const asked = { ...list, method: "tools/call", ...call };
    const start = { ...list, method: "initialize", params: { protocolVersion: "2025-06-18" } };
    for (const accept of [
      "application/json",
      "text/event-stream",
      "application/json, text/event-stream;q=0",
    ])
      for (const json of [list, asked, start]) {
        const response = await one.ask({ json, headers: { accept } });
        expect(response.status).toBe(200);
        expect(accept).toStartWith(response.headers.get("content-type") ?? "none");
        expect(answerTo(await told(response), list.id)?.result).toBeDefined();
      }
    expect((await one.ask({ json: list, headers: { accept: "text/html" } })).status).toBe(406);
    expect((await one.ask({ json: list, headers: { accept: "*/*" } })).status).toBe(200);
    expect((await one.ask({ method: "GET", headers: { accept: "text/html" } })).status).toBe(406);
  });

  test("what has the quality 0 is not accepted; the narrowest range counts", async () => {
    const one = await session(kit);
    const statusOf = async (accept: string) =>
      (await one.ask({ json: list, headers: { accept } })).status;
    for (const accept of [
      "application/json;q=0, text/event-stream;q=0",
      "text/html, text/event-stream; Q=0.000",
      "*/*;q=0",
      "text/html, application/json;q=0",
      "application/*;q=0, */*, text/*;q=0",
    ])
      expect([accept, await statusOf(accept)]).toEqual([accept, 406]);
    for (const accept of [
      "Application/JSON;charset=utf-8;q=0.001, TEXT/*;q=0.1",
      "text/event-stream;q=1.0, */*;q=0.5",
      "application/json, text/*;q=0, text/event-stream",
    ])
      expect([accept, await statusOf(accept)]).toEqual([accept, 200]);
    const get = { method: "GET", headers: { accept: "*/*, text/event-stream;q=0" } };
    expect((await one.ask(get)).status).toBe(406);
  });
});
