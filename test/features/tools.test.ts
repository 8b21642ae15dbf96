/** Tools over every transport and era: listed, called, refused, with whatever goes in and comes out. */
import { describe, expect, test } from "bun:test";

import { openWay, ways } from "./ways.ts";

describe.each(ways)("$name", (way) => {
  test("lists what there is, in order, with what it is of", async () => {
    await using on = await openWay(way);
    const { tools, failed, warnings } = await on.host.tools();
    expect(failed).toEqual([]);
    expect(warnings).toEqual([]);
    expect(tools.map(({ tool }) => tool).slice(0, 4)).toEqual(["echo", "add", "slow", "hang"]);
    expect(tools.find(({ tool }) => tool === "structured")?.outputSchema).toBeDefined();
    expect(tools[0]).toMatchObject({
      tool: "echo",
      server: "srv",
      annotations: { readOnlyHint: true },
    });
    expect(on.host.servers()).toMatchObject([
      { name: "srv", state: "ready", era: way.era, serverInfo: { name: "feature-fixture" } },
    ]);
  });

  test("pages are put together", async () => {
    await using on = await openWay(way, { served: { pageSize: 5 } });
    const { tools } = await on.host.tools();
    expect(tools.length).toBeGreaterThan(20);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  test("a call with its exact result", async () => {
    await using on = await openWay(way);
    const outcome = await on.host.call({ tool: "add", arguments: { a: 2, b: 40 } });
    expect(outcome).toMatchObject({ status: "completed" });
    if (outcome.status !== "completed") return;
    expect(outcome.result.content).toEqual([{ type: "text", text: "42" }]);
    expect(JSON.parse(outcome.raw)).toEqual(outcome.result);
    expect(await on.say("echo", { text: 'é€😀\n\t"\\ <&>' })).toBe('é€😀\n\t"\\ <&>');
  });

  test("every kind of content, `_meta` and what nobody knows come through", async () => {
    await using on = await openWay(way);
    const outcome = await on.host.call({ tool: "mixed" });
    expect(outcome).toMatchObject({
      status: "completed",
      result: {
        content: [
          { type: "text" },
          { type: "image" },
          { type: "resource_link" },
          { type: "resource" },
        ],
        _meta: { "example.org/kept": { deep: [1, 2.5, null] } },
        unknownField: "12345678901234567890",
      },
    });
  });

  test("a tool that is not there: refused by us, and by the server when it is asked all the same", async () => {
    await using on = await openWay(way);
    const ours = await on.host.call({ tool: "no_such_tool" });
    expect(ours).toMatchObject({ status: "failed", sent: false, error: { code: "usage" } });
    // One that has not listed its tools cannot know.
    await using unlisted = await openWay(way);
    const theirs = await unlisted.host.call({ tool: "no_such_tool", validate: false });
    expect(theirs).toMatchObject({
      status: "failed",
      sent: true,
      error: { code: "rpc_error", facts: { rpcCode: -32602 } },
    });
    expect(await unlisted.say("echo", { text: "still here" })).toBe("still here");
  });

  test("arguments that do not fit: refused by us, and by the server", async () => {
    await using on = await openWay(way);
    const call = { tool: "add", arguments: { a: "two", b: 40 } };
    expect(await on.host.call(call)).toMatchObject({
      status: "failed",
      sent: false,
      error: { code: "usage" },
    });
    expect(await on.host.call({ ...call, validate: false })).toMatchObject({
      status: "failed",
      sent: true,
      error: { facts: { rpcCode: -32602 }, message: expect.stringContaining("a must be a number") },
    });
  });

  test("the tool's own error, and the server's", async () => {
    await using on = await openWay(way);
    expect(await on.host.call({ tool: "fail", arguments: { message: "no luck" } })).toMatchObject({
      status: "failed",
      result: { isError: true, content: [{ text: "no luck" }] },
    });
    expect(await on.host.call({ tool: "refuse", arguments: { code: -32050 } })).toMatchObject({
      status: "failed",
      error: { code: "rpc_error", facts: { rpcCode: -32050 } },
    });
  });

  test("structured content, and where it breaks the promise", async () => {
    await using on = await openWay(way);
    const fits = await on.host.call({ tool: "structured", arguments: { city: "Oslo" } });
    expect(fits).toMatchObject({
      status: "completed",
      result: { structuredContent: { city: "Oslo", degrees: 21.5 } },
    });
    expect(fits).not.toHaveProperty("outputMismatch");
    const odd = await on.host.call({ tool: "structured", arguments: { city: "Oslo", odd: true } });
    expect(odd).toMatchObject({ status: "completed", outputMismatch: [{ path: "/degrees" }] });
  });

  test("a large result, byte for byte", async () => {
    await using on = await openWay(way);
    expect(await on.say("big", { bytes: 5_000_000 })).toBe("x".repeat(5_000_000));
  });

  test("a large argument, byte for byte", async () => {
    await using on = await openWay(way);
    const text = "é".repeat(1_000_000);
    expect(await on.say("echo", { text })).toBe(text);
  });

  test("arguments that go into headers, whatever is in them", async () => {
    await using on = await openWay(way);
    for (const region of ["eu-west", " padded ", "é€😀", "=?base64?eA==?=", "two\nlines", ""]) {
      const args = { region, priority: 3, urgent: false, query: "q" };
      expect(JSON.parse(await on.say("region", args))).toEqual(args);
    }
    expect(await on.say("region", { region: "eu" })).toBe('{"region":"eu"}');
  });
});
