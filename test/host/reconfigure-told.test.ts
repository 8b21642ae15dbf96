/** What is told of other servers, and what follows them: prompts, resources, subscriptions, guests. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { PolicyRule, ServerConfig } from "../../lib/config/types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { waitFor } from "../processes.ts";
import { textOf } from "./kit.ts";
import { call, entry, isAlive, open } from "./reconfigure-kit.ts";

const everything = join(import.meta.dir, "../fixtures/remote/stdio.ts");

/** A server that has everything. */
function full(name: string, more: object = {}, era = "legacy"): ServerConfig {
  return entry(name, {}, { args: [everything, era], ...more });
}

describe("beside tools", () => {
  test("prompts and resources are those of the servers that there are", async () => {
    await using it = open([full("a")]);
    const listed = async () => {
      const { prompts } = await it.host.prompts();
      const { resources } = await it.host.resources();
      return [
        new Set(prompts.map(({ server }) => server)),
        new Set(resources.map(({ server }) => server)),
      ];
    };
    expect(await listed()).toEqual([new Set(["a"]), new Set(["a"])]);
    await it.change([full("a"), full("b")]);
    expect(await listed()).toEqual([new Set(["a", "b"]), new Set(["a", "b"])]);
    const { prompts } = await it.host.prompts();
    expect(prompts.every(({ name, server }) => name.startsWith(`${server}_`))).toBe(true);
    await it.change([full("b")]);
    expect(await listed()).toEqual([new Set(["b"]), new Set(["b"])]);
    await expect(it.host.read({ uri: "a/test://a" })).rejects.toMatchObject({ code: "rpc_error" });
  });

  test.each(["legacy", "modern"])(
    "a subscription goes on at the server that took the place (%s)",
    async (era) => {
      await using it = open([full("a", {}, era), full("b")]);
      const heard: string[] = [];
      let opened = 0;
      const following = it.host.subscribe({
        server: "a",
        uris: ["test://a"],
        onOpen: () => opened++,
        onUpdate: ({ kind }) => void heard.push(kind),
      });
      await waitFor(() => opened === 1);
      await it.change([full("a", { env: { X: "1" } }, era), full("b")]);
      await waitFor(() => opened === 2);
      expect(heard).toEqual(["stale"]);
      await waitFor(async () => {
        await it.host.call({ tool: "a/touch", arguments: { uri: "test://a" } });
        return heard.includes("resource");
      });
      await it.change([full("b")]);
      await expect(following).rejects.toMatchObject({ code: "usage" });
    },
  );
});

test("it is told: a server that stopped, and the lists of all that are others", async () => {
  await using it = open([entry("kept"), entry("gone"), entry("idle")]);
  await call(it, "gone_echo");
  const before = it.events.length;
  const seen: string[][] = [];
  it.host.onEvent(() => seen.push(it.host.servers().map(({ name }) => name)));
  await it.change([entry("kept"), entry("new")]);
  const told = it.events.slice(before);
  expect(told[0]).toEqual({ type: "server_state", server: "gone", state: "stopped" });
  for (const server of ["gone", "idle", "new"])
    expect(told.filter((event) => event.server === server).slice(-3)).toEqual([
      { type: "tools_changed", server },
      { type: "list_changed", server, list: "prompts" },
      { type: "list_changed", server, list: "resources" },
    ]);
  expect(told.some((event) => event.server === "kept")).toBe(false);
  // Whoever is told finds the new servers.
  expect(seen.every((one) => one.join() === "kept,new")).toBe(true);
});

describe("a guest", () => {
  test("follows its host: processes of its own go, stay and come as those of the host do", async () => {
    await using it = open([entry("a"), entry("b"), entry("gone")]);
    await using guest = await it.host.guest({ roots: async () => [] });
    const ask = async (tool: string) => textOf(await guest.call({ tool }));
    const told: HostEvent[] = [];
    guest.onEvent((event) => void told.push(event));
    const [a, b] = [await ask("a_pid"), await ask("b_pid")];
    expect(a).not.toBe(await call(it, "a_pid"));
    const gone = Number(await ask("gone_pid"));
    const denied: PolicyRule = { tools: "echo", do: "deny", reason: "no more" };
    await it.change([entry("a"), entry("b", {}, { env: { X: "1" } }), entry("new")], [denied]);
    expect(guest.servers().map(({ name }) => name)).toEqual(["a", "b", "new"]);
    expect(await ask("a_pid")).toBe(a);
    expect(await ask("b_pid")).not.toBe(b);
    expect(await ask("new_pid")).toMatch(/^\d+$/);
    expect(await ask("new_pid")).not.toBe(await call(it, "new_pid"));
    expect(await ask("a_echo")).toContain("no more");
    expect(told).toContainEqual({ type: "tools_changed", server: "gone" });
    await waitFor(() => !isAlive(gone) && !isAlive(Number(b)));
  });
});
