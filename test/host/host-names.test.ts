/** Names of tools: of one server and of two, bare and qualified, and those that mean nothing. */
import { describe, expect, test } from "bun:test";

import { tempDir } from "../harness.ts";
import { hostOver, textOf, tools } from "./kit.ts";

describe("names", () => {
  test("one server shows its own names, which are called exactly; the long ones are understood", async () => {
    const hostile = ["a.b", "a_b", "a/b", "a b", "道具", "__proto__", "x".repeat(300)];
    await using host = await hostOver({ s: { tools: tools(...hostile) } });
    const listing = await host.tools();
    expect(listing.tools.map((tool) => tool.name)).toEqual(hostile);
    for (const tool of hostile) {
      expect(textOf(await host.call({ tool, arguments: { tool } }))).toBe(JSON.stringify({ tool }));
      expect((await host.resolve(`s/${tool}`)).tool).toBe(tool);
    }
    expect((await host.resolve("s_a_b")).tool).toBe("a.b");
  });

  test("two servers: the union in the order of the config, the slower one included; changed names are told", async () => {
    await using host = await hostOver({
      slow: { tools: tools("a.b"), startMs: 100 },
      fast: { tools: tools("search") },
    });
    const { tools: all, failed, warnings } = await host.tools();
    expect(all.map((tool) => [tool.name, tool.server, tool.tool])).toEqual([
      ["slow_a_b", "slow", "a.b"],
      ["fast_search", "fast", "search"],
    ]);
    expect(failed).toEqual([]);
    expect(warnings).toEqual([
      { server: "slow", text: 'tools with another name here: "a.b" is slow_a_b' },
    ]);
  });

  test("a bare name of two servers is refused with the candidates, a qualified one is right", async () => {
    await using host = await hostOver({
      x: { tools: tools("pid", "only") },
      y: { tools: tools("pid") },
    });
    const refused = await host.call({ tool: "pid" });
    expect(refused).toMatchObject({
      status: "failed",
      sent: false,
      error: { code: "usage", facts: { candidates: ["x/pid", "y/pid"] } },
    });
    const x = textOf(await host.call({ tool: "x.pid" }));
    const y = textOf(await host.call({ tool: "y_pid" }));
    expect(x).not.toBe(y);
    expect(textOf(await host.call({ tool: "only", arguments: {} }))).toBe("{}");
  });

  test("only the servers that a name can mean are started", async () => {
    await using dir = await tempDir();
    await using host = await hostOver({
      fs: { tools: tools("read") },
      git: { tools: tools("status"), starts: dir.file("git") },
    });
    await host.call({ tool: "fs_read" });
    await host.call({ tool: "fs.read" });
    expect(await Bun.file(dir.file("git")).exists()).toBe(false);
    expect(host.servers().map((server) => server.state)).toEqual(["ready", "idle"]);
    await host.call({ tool: "read" });
    expect(await Bun.file(dir.file("git")).exists()).toBe(true);
  });

  test("an unknown name is a usage error with the nearest, and nothing is run instead", async () => {
    await using host = await hostOver({ s: { tools: tools("echo", "pid") } });
    const outcome = await host.call({ tool: "ehco" });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "usage", hint: "did you mean echo?", facts: { nearest: ["echo"] } },
    });
    expect(host.resolve("ehco")).rejects.toMatchObject({ code: "usage" });
  });

  test("a name that a failed server may own is not given to another", async () => {
    await using host = await hostOver({
      acme: { command: "/nowhere/at-all" },
      acme_: { tools: tools("status") },
    });
    const outcome = await host.call({ tool: "acme__status" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "server_start" } });
    expect(textOf(await host.call({ tool: "acme_/status", arguments: {} }))).toBe("{}");
  });
});
