/** A gateway among whose servers is itself: it says so, and its other servers have no harm of it. */
import { expect, test } from "bun:test";

import { mcphost } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { entry, logged, serveConfig } from "./config-kit.ts";
import { modernInit } from "./gateway-kit.ts";

test("a server that is the gateway itself fails at once and is named, over every transport", async () => {
  await using it = await serveConfig({ mcpServers: { a: entry() } });
  // So that it is remembered as modern, and not greeted.
  const run = await mcphost("tools", "-s", `${it.url}/mcp`).home(it.home.path).run();
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const socket = `${it.url.replace("http", "ws")}/ws`;
  const selves = {
    self: { url: `${it.url}/mcp` },
    one: { url: `${it.url}/mcp/a`, protocol: "legacy" },
    sse: { url: `${it.url}/sse`, type: "sse" },
    ws: { url: socket },
  };
  await it.write({ mcpServers: { a: entry(), ...selves } });
  await it.shows("a", ...Object.keys(selves));
  // They are shown before they are asked.
  let states: string[] = [];
  await waitFor(
    async () => {
      states = (await it.health()).servers.map(({ state }: any) => state);
      return states.join(" ") === "idle failed failed failed failed";
    },
    () => states.join(" "),
    // A list that leads in a circle took 10 s.
    8_000,
  );

  const { headers, json } = modernInit("tools/list", {} as { name: string });
  const answer = await it.ask("/mcp", { json, headers: headers as Record<string, string> });
  const { result } = (await answer.json()) as any;
  expect(result.tools.map(({ name }: any) => name)).toEqual([
    "a_echo",
    "a_pid",
    "a_silent",
    "a_wait",
  ]);
  expect(await it.call("a_echo", { x: 1 })).toBe('{"x":1}');

  const said = await logged(it);
  for (const name of Object.keys(selves))
    expect(said).toMatch(new RegExp(`server "${name}"[^\n]* leads back to this gateway itself`));
});
