/** One JSON-RPC link: when it ends, what waits fails with the evidence, and whether it was sent. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { failure, farSide, minute } from "./peers.ts";

describe("the link ends", () => {
  test("by an exit: what waits fails with the evidence", async () => {
    const closeInfo = {
      kind: "exit" as const,
      exitCode: 3,
      stderr: ["starting", "API_KEY is required", ""],
    };
    await using far = farSide({ closeInfo });
    const answer = failure(far.peer.request("tools/call", {}, minute));
    await far.until((message) => "method" in message);
    await far.end();
    const error = await answer;
    expect(error.message).toBe(
      'server "srv" ended with exit code 3 while it was answering tools/call',
    );
    expect(error).toMatchObject({
      code: "server_exit",
      hint: "its last lines on stderr tell why",
      facts: { server: "srv", sent: true, exitCode: 3, stderr: closeInfo.stderr },
    });
    expect(await far.peer.closed).toEqual(closeInfo);
    const later = await failure(far.peer.request("ping", {}, minute));
    expect(later).toMatchObject({ code: "server_exit", facts: { sent: false, exitCode: 3 } });
    expect(await failure(far.peer.notify("x"))).toMatchObject({ code: "server_exit" });
  });

  test.each([
    [{ kind: "exit" as const, signal: "SIGKILL" }, "was ended by SIGKILL"],
    [{ kind: "exit" as const, exitCode: 0 }, "ended with exit code 0"],
    [{ kind: "eof" as const }, "closed its stdout"],
    [{ kind: "error" as const, error: new Error("x") }, "lost its link"],
  ])("%j is said as it is", async (closeInfo, text) => {
    await using far = farSide({ closeInfo });
    const answer = failure(far.peer.request("a", {}, minute));
    await far.end();
    expect((await answer).message).toContain(`server "srv" ${text} `);
  });

  test("before a request went out whole: it was not sent", async () => {
    const gate = Promise.withResolvers<void>();
    await using far = farSide({ send: () => gate.promise });
    const answer = failure(far.peer.request("a", {}, minute));
    await far.end();
    gate.reject(new HostError("server_exit", "stdin is closed"));
    expect(await answer).toMatchObject({ code: "server_exit", facts: { sent: false } });
  });

  test("and nobody knows whether a request went out: it may have been sent", async () => {
    await using far = farSide({ send: () => new Promise(() => {}) });
    const answer = failure(far.peer.request("a", {}, minute));
    await far.end();
    expect(await answer).toMatchObject({ code: "server_exit", facts: { sent: true } });
  });

  test("for writing only: the request fails without waiting for its time-out", async () => {
    await using far = farSide({
      send: async () => {
        throw new HostError("server_exit", "its stdin is closed");
      },
    });
    const error = await failure(far.peer.request("a", {}, minute));
    expect(error).toMatchObject({ code: "server_exit", facts: { sent: false, server: "srv" } });
    expect(error.message).toContain("its stdin is closed");
  });

  test("by us", async () => {
    const far = farSide();
    const answer = failure(far.peer.request("a", {}, minute));
    await far.peer[Symbol.asyncDispose]();
    expect(await answer).toMatchObject({ code: "server_exit" });
    expect(await far.peer.closed).toEqual({ kind: "local" });
  });
});
