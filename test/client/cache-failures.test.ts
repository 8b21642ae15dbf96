/** Answers that are kept: what is served where no new one can be had. */
import { expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { faked } from "./cache-kit.ts";

const failures = {
  timeout: new HostError("timeout", "it took too long"),
  server_exit: new HostError("server_exit", "the link is lost"),
  internal: new RpcError({ code: -32603, message: "internal" }),
  "not found": new RpcError({ code: -32602, message: "not there" }),
  cancelled: new HostError("cancelled", "enough"),
};

test.each([["timeout"], ["server_exit"], ["internal"]] as const)(
  "an old answer is served with a warning where a new one cannot be had: %s",
  async (name) => {
    const error = failures[name];
    const { cache, clock } = faked((_m, _p, n) => {
      if (n === 1) return { n, ttlMs: 10 };
      throw error;
    });
    const kept = cache();
    await kept.request("resources/read", { uri: "a:1" });
    clock.now += 10;
    const old = await kept.request("resources/read", { uri: "a:1" });
    expect(old.result["n"]).toBe(1);
    expect(old.warning).toBe(
      `the answer to resources/read is an older one that was kept: ${error.message}`,
    );
  },
);

test.each([["not found"], ["cancelled"]] as const)(
  "an error that is an answer goes through: %s",
  async (name) => {
    const error = failures[name];
    const { cache, clock } = faked((_m, _p, n) => {
      if (n === 1) return { n, ttlMs: 10 };
      throw error;
    });
    const kept = cache();
    await kept.request("resources/read", { uri: "a:1" });
    clock.now += 10;
    expect(kept.request("resources/read", { uri: "a:1" })).rejects.toBe(error);
  },
);

test("what was told to have changed is never served, not even where nothing else can be had", async () => {
  const { cache, tell } = faked((_m, _p, n) => {
    if (n === 1) return { n, ttlMs: 1000 };
    throw new HostError("timeout", "late");
  });
  const kept = cache();
  await kept.request("prompts/list", {});
  tell("notifications/prompts/list_changed");
  expect(kept.request("prompts/list", {})).rejects.toThrow("late");
});
