/** Other servers and rules for a host that is open: what is started, stopped, or stays. */
import { describe, expect, test } from "bun:test";

import type { PolicyRule, ServerConfig } from "../../lib/config/types.ts";
import { call, entry, open, type Opened, program, usual } from "./reconfigure-kit.ts";

async function names({ host }: Opened): Promise<string[]> {
  return (await host.tools()).tools.map(({ name }) => name);
}

describe("servers", () => {
  test("only what is another is started or stopped; the rest keeps its process", async () => {
    await using it = open([entry("kept"), entry("gone"), entry("other")]);
    const [kept, other] = [await call(it, "kept_pid"), await call(it, "other_pid")];
    await call(it, "gone_pid");
    const change = await it.change([
      entry("kept"),
      entry("other", {}, { args: [program, JSON.stringify({ tools: usual }), "more"] }),
      entry("new"),
    ]);
    expect(change).toEqual({
      added: ["new"],
      removed: ["gone"],
      changed: ["other"],
      adjusted: [],
      kept: ["kept"],
    });
    expect(it.host.servers().map(({ name }) => name)).toEqual(["kept", "other", "new"]);
    expect(await call(it, "kept_pid")).toBe(kept);
    expect(await call(it, "other_pid")).not.toBe(other);
    expect(await call(it, "new_echo")).toBe("{}");
    expect(await call(it, "gone_echo")).toContain('no tool is called "gone_echo"');
    expect(await names(it)).toEqual(
      ["kept", "other", "new"].flatMap((name) =>
        ["echo", "pid", "silent", "wait"].map((tool) => `${name}_${tool}`),
      ),
    );
  });

  test("the same entries written anew change nothing", async () => {
    await using it = open([entry("a", {}, { env: { A: "1" } }), entry("b")]);
    const pid = await call(it, "a_pid");
    const told = it.events.length;
    const same = [entry("a", {}, { env: { A: "1" }, written: { comment: 1 } }), entry("b")];
    expect(await it.change(same)).toMatchObject({ kept: ["a", "b"], changed: [], adjusted: [] });
    expect(await call(it, "a_pid")).toBe(pid);
    expect(it.events.slice(told).map(({ type }) => type)).toEqual(["call_start", "call_end"]);
  });

  test("names, filters and times are taken up by the process that runs", async () => {
    await using it = open([entry("a"), entry("b")]);
    const pid = await call(it, "a_pid");
    const next = entry("a", {}, { prefix: "x_", deniedTools: ["silent"], rename: { pid: "who" } });
    expect(await it.change([next, entry("b")])).toMatchObject({ adjusted: ["a"], kept: ["b"] });
    expect(await call(it, "who")).toBe(pid);
    expect((await names(it)).slice(0, 3)).toEqual(["x_echo", "who", "x_wait"]);
    expect(await call(it, "a/silent")).toContain("denied");
  });

  test("an entry that was found is never loosened without trust: its server is stopped", async () => {
    const origin = { file: "/p/mcp.json", label: "mcp.json", kind: "found" } as const;
    const asked: unknown[] = [];
    const prepare = async (server: ServerConfig) => {
      asked.push(server.allowedTools);
      return server;
    };
    await using it = open([entry("a", {}, { origin, allowedTools: ["pid"] }), entry("b")], {
      prepare,
    });
    const pid = await call(it, "a_pid");
    const next = entry("a", {}, { origin, allowedTools: ["*"] });
    expect(await it.change([next, entry("b")])).toMatchObject({ changed: ["a"] });
    expect(await call(it, "a_pid")).not.toBe(pid);
    expect(asked).toEqual([["pid"], ["*"]]);
  });

  test("one server shows its tools' own names, two do not, and it is told", async () => {
    await using it = open([entry("a")]);
    expect(await names(it)).toContain("echo");
    await it.change([entry("a"), entry("b")]);
    expect(await names(it)).toContain("a_echo");
    await it.change([entry("a")]);
    expect(await names(it)).toContain("echo");
  });

  test("a disabled entry is none", async () => {
    await using it = open([entry("a"), entry("b")]);
    const off = entry("b", {}, { disabled: true });
    expect(await it.change([entry("a"), off])).toMatchObject({ removed: ["b"] });
    expect(await it.change([entry("a"), entry("b")])).toMatchObject({ added: ["b"] });
    expect(await call(it, "b_echo")).toBe("{}");
  });

  test("rules count from the next call on", async () => {
    await using it = open([entry("a")]);
    expect(await call(it, "echo")).toBe("{}");
    const rule: PolicyRule = { tools: "echo", do: "deny", reason: "no more" };
    await it.change([entry("a")], [rule]);
    expect(await call(it, "echo")).toContain("no more");
    const { tools: listed } = await it.host.tools();
    expect((await it.host.judge(listed.slice(0, 1), "gateway"))[0]?.do).toBe("deny");
    await it.change([entry("a")]);
    expect(await call(it, "echo")).toBe("{}");
  });
});
