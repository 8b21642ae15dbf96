/** The lives of a host's servers: started once, started again, and ended with it. */
import { describe, expect, test } from "bun:test";

import type { OpenedHost } from "../../lib/host/opened-types.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { hostOver, textOf, tools } from "./kit.ts";

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("lives", () => {
  test("many first calls at once start one process", async () => {
    await using dir = await tempDir();
    const starts = dir.file("starts");
    await using host = await hostOver({ s: { starts, startMs: 50, tools: tools("pid") } });
    const calls = Array.from({ length: 20 }, () => host.call({ tool: "pid" }));
    expect(new Set((await Promise.all(calls)).map(textOf)).size).toBe(1);
    expect(await Bun.file(starts).text()).toBe(".");
  });

  test("a server killed while idle is started again by the next call", async () => {
    await using host = await hostOver({ s: { tools: tools("pid") } });
    const first = Number(textOf(await host.call({ tool: "pid" })));
    process.kill(first, "SIGKILL");
    await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
    expect(host.servers()[0]).toMatchObject({
      error: { code: "server_exit", facts: { signal: "SIGKILL" } },
    });
    expect(Number(textOf(await host.call({ tool: "pid" })))).not.toBe(first);
  });

  test("a call that the server dies in is uncertain at once, with the cause; the next one works", async () => {
    await using host = await hostOver({ s: { tools: tools("exit", "echo") } });
    const outcome = await host.call({ tool: "exit", arguments: { code: 7 } });
    expect(outcome).toMatchObject({
      status: "uncertain",
      error: { code: "uncertain", facts: { exitCode: 7 } },
    });
    expect(textOf(await host.call({ tool: "echo", arguments: {} }))).toBe("{}");
  });

  test("a server that greets well and ends is not started without end", async () => {
    await using dir = await tempDir();
    const starts = dir.file("starts");
    await using host = await hostOver({
      s: { starts, exitAfterList: true, tools: tools("silent") },
    });
    for (let i = 0; i < 12; i++) {
      const outcome = await host.call({ tool: "silent", timeoutMs: 200 });
      expect(outcome.status).not.toBe("completed");
    }
    expect((await Bun.file(starts).text()).length).toBeLessThanOrEqual(3);
    const last = await host.call({ tool: "silent", timeoutMs: 1 });
    expect(last).toMatchObject({ status: "failed", sent: false, error: { code: "server_start" } });
  });

  test("a server that dies of a cancellation is started again by the next call", async () => {
    await using host = await hostOver({
      s: { diesOfCancel: true, tools: tools("silent", "echo") },
    });
    await host.tools();
    const slow = await host.call({ tool: "silent", timeoutMs: 30 });
    expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
    await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
    expect(textOf(await host.call({ tool: "echo", arguments: {} }))).toBe("{}");
  });

  test("restart: false", async () => {
    await using host = await hostOver({ s: { restart: false, tools: tools("exit", "echo") } });
    await host.call({ tool: "exit" });
    const outcome = await host.call({ tool: "echo" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "server_start" } });
  });

  test("per-call: a process for each call, gone afterwards", async () => {
    await using host = await hostOver({ s: { lifecycle: "per-call", tools: tools("pid") } });
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => host.call({ tool: "pid" })));
    const pids = outcomes.map((outcome) => Number(textOf(outcome)));
    expect(new Set(pids).size).toBe(3);
    await waitFor(() => pids.every((pid) => !alive(pid)), "the processes to end");
  });

  test("closing the host ends its servers and what is under way", async () => {
    const host = await hostOver({ s: { tools: tools("pid", "silent") } });
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    const pending = host.call({ tool: "silent" });
    const events = Array.fromAsync(host.events());
    await host[Symbol.asyncDispose]();
    expect(alive(pid)).toBe(false);
    expect(["cancelled", "uncertain"]).toContain((await pending).status);
    expect((await events).at(-1)).toMatchObject({ type: "server_state", state: "stopped" });
    expect(await host.call({ tool: "pid" })).toMatchObject({ status: "cancelled", sent: false });
  });

  test.each(["closed", "left"])("calls are cancelled before the host is %s", async (end) => {
    await using dir = await tempDir();
    const cancels = dir.file("cancels");
    const controller = new AbortController();
    const { signal } = controller;
    const fixture = { cancels, tools: tools("pid", "silent") };
    const host = (await hostOver({ s: fixture }, { signal })) as unknown as OpenedHost;
    const pending = Array.from({ length: 5 }, () => host.call({ tool: "silent" }));
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    controller.abort();
    if (end === "closed") await host[Symbol.asyncDispose]();
    else await host.leave();
    for (const { status } of await Promise.all(pending)) expect(status).toBe("cancelled");
    await waitFor(() => !alive(pid), "the server to end");
    expect(await Bun.file(cancels).text()).toBe(".....");
  });

  test("aborting the signal closes the host", async () => {
    const controller = new AbortController();
    const host = await hostOver({ s: { tools: tools("pid") } }, { signal: controller.signal });
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    controller.abort();
    await waitFor(() => !alive(pid), "the server to end");
    expect((await host.call({ tool: "pid" })).status).toBe("cancelled");
  });

  test("a server is told its roots and its environment, and not ours", async () => {
    const env = { PATH: process.env["PATH"], SECRET: "ours" };
    await using host = await hostOver({ s: { tools: tools("env"), env: { OWN: "yes" } } }, { env });
    const seen = JSON.parse(textOf(await host.call({ tool: "env" }))) as Record<string, string>;
    expect(seen).toMatchObject({ OWN: "yes" });
    expect(Object.keys(seen)).not.toContain("SECRET");
  });
});
