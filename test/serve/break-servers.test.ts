/** What a token for some tools is told of servers. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { full } from "./gateway-kit.ts";
import { type Fixture, serveOver } from "./kit.ts";

test("instructions of a server are for those who may use it", async () => {
  const tokens = [
    { name: "all", token: "secret-of-all-123456" },
    { name: "few", token: "secret-of-few-123456", tools: ["a.*"] },
  ];
  const server: Fixture = { ...full("legacy", { instructions: "be kind" }), lifecycle: "eager" };
  await using it = serveOver({ a: server, b: server }, { tokens });
  await waitFor(() => it.host.servers().every(({ state }) => state === "ready"));
  const told = async (path: string, token: string) => {
    const body = (await (await it.ask(path, { token })).json()) as object | object[];
    return [body].flat().map((one) => "instructions" in one);
  };
  expect(await told("/servers", tokens[0]!.token)).toEqual([true, true]);
  expect(await told("/servers", tokens[1]!.token)).toEqual([true, false]);
  expect(await told("/servers/b", tokens[1]!.token)).toEqual([false]);
});
