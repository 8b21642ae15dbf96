/** What is odd in the lists of servers, so that clients see less or other names than these have, is logged once. */
import { expect, test } from "bun:test";

import { full, gatewayOver, session } from "./gateway-kit.ts";

const inputSchema = { type: "object" };
const twice = 'tool "a" is listed twice: the first one is used';
const strange = 'tools with another name here: "b.c" is odd_b_c';

test("however many clients list, and nothing of a server without oddities", async () => {
  const tools = [
    { name: "a", inputSchema },
    { name: "a", inputSchema },
    { name: "b.c", inputSchema },
  ];
  await using kit = gatewayOver({ odd: { tools }, fine: full() });
  const one = await session(kit);
  const two = await session(kit);
  for (const client of [one, two, one])
    for (const list of ["tools/list", "prompts/list", "resources/list"])
      await (await client.request(list)).text();
  const warned = kit.logged.filter(({ level }) => level === "warn");
  expect(warned).toEqual([twice, strange].map((text) => ({ level: "warn", server: "odd", text })));
});
