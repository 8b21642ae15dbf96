/** Messages over the bound on links of the gateway: which of them end the link. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { call, openSse, request } from "./faults-links-kit.ts";
import { full, gatewayOver } from "./gateway-kit.ts";

test("a WebSocket message over the bound closes that link alone; a POST over it is 413, and its link goes on", async () => {
  await using kit = gatewayOver({ server: full() }, { bodyBytesMax: 100_000 });
  const large = call(1, "echo", { text: "x".repeat(100_001) });
  const sockets = [1, 2].map(() => new WebSocket(`${kit.served.url.replace("http", "ws")}/ws`));
  const [one, other] = sockets as [WebSocket, WebSocket];
  const closed = new Promise<number>((resolve) =>
    one.addEventListener("close", ({ code }) => resolve(code)),
  );
  const heard = new Promise<string>((resolve) =>
    other.addEventListener("message", ({ data }) => resolve(String(data))),
  );
  await Promise.all(sockets.map((it) => new Promise((open) => it.addEventListener("open", open))));
  one.send(large);
  expect([1006, 1009]).toContain(await closed);
  other.send(request(2, "ping"));
  expect(JSON.parse(await heard)).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  other.close();

  const { all, post } = await openSse(kit);
  expect((await post(large)).status).toBe(413);
  expect((await post(request(3, "ping"))).status).toBe(202);
  await waitFor(() => all.length === 1);
  expect(all[0]).toEqual({ jsonrpc: "2.0", id: 3, result: {} });
});
