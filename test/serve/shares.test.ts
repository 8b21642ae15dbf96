/** Several owners at one `serve`: none of them takes all that there is, and who is alone may. */
import { expect, test } from "bun:test";

import { bunAlone, root } from "../harness.ts";
import { tools } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { both, collect, gatewayOver } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { ServedHost } from "./kit.ts";

const tokens = ["a", "b"].map((name) => ({ name, token: `token-of-${name}` }));
const [a = "", b = ""] = tokens.map(({ token }) => token);
const asker = {
  command: bunAlone[0]!,
  args: [...bunAlone.slice(1), `${root}/test/fixtures/gateway/asker.ts`],
};

/** Opens a session of a client that needs servers of its own, and stays. */
async function open(kit: ServedHost, token: string): Promise<number> {
  const capabilities = { roots: {} };
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw" } };
  const json = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const answer = await kit.ask("/mcp", { json, token, headers: { accept: both } });
  const id = answer.headers.get("mcp-session-id");
  const headers = { accept: "text/event-stream", "mcp-session-id": id ?? "" };
  if (id !== null) collect(await kit.ask("/mcp", { token, headers }));
  return answer.status;
}

test("clients with servers of their own", async () => {
  await using kit = gatewayOver({ s: asker }, { guestsMax: 4, tokens });
  expect([await open(kit, a), await open(kit, a), await open(kit, a)]).toEqual([200, 200, 503]);
  expect([await open(kit, b), await open(kit, b)]).toEqual([200, 503]);

  await using alone = gatewayOver({ s: asker }, { guestsMax: 2, tokens: tokens.slice(0, 1) });
  expect([await open(alone, a), await open(alone, a), await open(alone, a)]).toEqual([
    200, 200, 503,
  ]);
});

test("calls that wait for their turn", async () => {
  const fixture = { concurrency: 1, queueMax: 4, tools: tools("echo", "silent") };
  await using it = serveOver({ s: fixture }, { tokens });
  await it.served.context.discovery.done;
  const scope = new AbortController();
  const waiting = () => it.host.servers()[0]?.queued ?? 0;
  const call = (token: string, tool = "s_echo") =>
    it.ask(`/tools/${tool}`, { json: {}, token, signal: scope.signal }).catch(() => undefined);
  void call(a, "s_silent");
  await waitFor(() => it.served.context.calls.list("a").length === 1);
  const begun: Promise<Response | undefined>[] = [];
  for (const [token, count] of [
    [a, 1],
    [a, 2],
    [b, 3],
  ] as const) {
    begun.push(call(token));
    await waitFor(() => waiting() === count);
  }
  const refused = await call(a);
  expect(refused?.status).toBe(503);
  expect(await refused?.json()).toMatchObject({
    error: { busy: true, message: expect.stringContaining("2 calls of yours wait for their turn") },
  });
  scope.abort();
  await Promise.all(begun);
});
