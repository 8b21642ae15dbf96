/** The ends of `mcphost gateway` in a call: it is killed, or nobody reads it any more. */
import { describe, expect, test } from "bun:test";

import { sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { full } from "./gateway-kit.ts";

const { command = "", args: fixture = [] } = full();

const one = ["-s", `a=${[command, ...fixture.slice(0, 2)].join(" ")}`];

describe("the end of mcphost gateway", () => {
  const initialize = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  });

  /** A gateway that has greeted and has a call under way. */
  async function atWork() {
    const home = await tempDir();
    const child = Bun.spawn([...sourceProgram, "gateway", "--no-user-config", ...one], {
      env: { PATH: process.env["PATH"], HOME: home.path },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    const reader = child.stdout.getReader();
    child.stdin.write(`${initialize}\n`);
    await child.stdin.flush();
    await reader.read();
    const params = {
      name: "a_slow",
      arguments: { steps: 10_000, ms: 1 },
      _meta: { progressToken: 1 },
    };
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params })}\n`,
    );
    await child.stdin.flush();
    await reader.read();
    return { child, reader, home };
  }

  test("kill -9 in a call leaves nothing behind", async () => {
    const { child, home } = await atWork();
    await using _home = home;
    child.kill("SIGKILL");
    await child.exited;
    await nothingLeft(home.path);
  });

  test("who does not read any more has left, though stdin stays open", async () => {
    const { child, reader, home } = await atWork();
    await using _home = home;
    await reader.cancel();
    expect(await child.exited).toBe(0);
    await nothingLeft(home.path);
    expect(await child.stderr.text()).toBe("");
  });
});
