/** The same server over a link in memory, through the client alone: a host has no such servers. */
import { describe, expect, test } from "bun:test";

import type { LogEntry } from "../../lib/base/log.ts";
import { connect } from "../../lib/client/client.ts";
import { memoryPair } from "../../lib/transport/memory.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { duplex } from "../fixtures/remote/duplex.ts";
import { State } from "../fixtures/remote/state.ts";
import { waitFor } from "../processes.ts";
import { textOf } from "./ways.ts";

describe.each(["legacy", "modern"] as const)("memory, %s", (era) => {
  const state = new State();
  const open = async (): Promise<Transport> => {
    const [ours, theirs] = memoryPair();
    const link = duplex(state, {
      era,
      send: (message) => void theirs.send(message),
      drop: () => void theirs[Symbol.asyncDispose](),
    });
    void (async () => {
      for await (const item of theirs.incoming) if ("message" in item) link.take(item.message);
      link.end();
    })();
    return ours;
  };
  const logged: LogEntry[] = [];
  const connected = () =>
    connect({
      name: "srv",
      open,
      clientInfo: { name: "test", version: "1" },
      answers: { elicit: async () => ({ action: "accept", content: { name: "Ada" } }) },
      log: (entry) => void logged.push(entry),
      signal: new AbortController().signal,
      logLevel: "warning",
    });

  test("lists, calls, reads, asks", async () => {
    await using client = await connected();
    expect(client.era).toBe(era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("add");
    const calls = Array.from({ length: 100 }, (_, a) => client.callTool("add", { a, b: 1 }));
    expect((await Promise.all(calls)).map(({ result }) => textOf(result))).toEqual(
      calls.map((_, a) => String(a + 1)),
    );
    expect(textOf((await client.callTool("ask", {})).result)).toContain('"Ada"');
    const read = await client.request("resources/read", { uri: "note://one" });
    expect(read.result).toMatchObject({ contents: [{ text: "first" }] });
  });

  test("errors, progress, cancelling", async () => {
    await using client = await connected();
    const unknown = client.callTool("no_such_tool", {}).catch((error: unknown) => error);
    expect(await unknown).toMatchObject({ code: -32602 });
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => void seen.push(progress);
    await client.callTool("slow", { steps: 3, ms: 1 }, { onProgress });
    expect(seen).toEqual([1, 2, 3]);
    const before = state.cancelled;
    const hanging = client.callTool("hang", {}, { timeoutMs: 20 }).catch((error: unknown) => error);
    expect(await hanging).toMatchObject({ code: "timeout" });
    await waitFor(() => state.cancelled === before + 1, "the server to hear of it");
  });

  test("a lost link", async () => {
    await using client = await connected();
    const dropped = client.callTool("drop", {}).catch((error: unknown) => error);
    expect(await dropped).toMatchObject({ code: "uncertain" });
    expect(await client.closed).toMatchObject({ kind: "eof" });
  });
});
