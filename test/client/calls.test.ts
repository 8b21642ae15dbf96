/** Calls and pings in both eras: what is sent, what comes back, and how a call ends that gets no answer. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { eras, legacyScript, metaOf, scripted, text, unknownMethod, until } from "./kit.ts";

test.each(eras)(
  "%s: a call sends its arguments, a progress token, and gives the exact text",
  async (_, start) => {
    const server = start({
      call: ({ id }, far) => far.send({ id, result: { content: [], structuredContent: { n: 1 } } }),
    });
    await using client = await connect(server.options);
    let sent = 0;
    const reply = await client.callTool("one", {}, { onSent: () => sent++ });
    expect(reply.result).toMatchObject({ structuredContent: { n: 1 } });
    expect(reply.raw()).toBe('{"content":[],"structuredContent":{"n":1}}');
    expect(sent).toBe(1);
    const sentLast = server.received.at(-1);
    expect(sentLast?.params).toMatchObject({ name: "one", arguments: {} });
    expect(metaOf(sentLast).progressToken).toBeDefined();
  },
);

test.each(eras)("%s: progress is passed on", async (_, start) => {
  const server = start({
    call: (message, far) => {
      const { progressToken } = metaOf(message);
      far.send({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2 },
      });
      return text("done");
    },
  });
  await using client = await connect(server.options);
  const seen: unknown[] = [];
  await client.callTool("one", {}, { onProgress: (progress) => seen.push(progress) });
  expect(seen).toEqual([expect.objectContaining({ progress: 1, total: 2 })]);
});

test.each(eras)(
  "%s: an error of the server goes through as it is, code 0 too",
  async (_, start) => {
    const server = start({
      call: ({ id }, far) =>
        far.send({ id, error: { code: 0, message: "no such tool", data: [1] } }),
    });
    await using client = await connect(server.options);
    await expect(client.callTool("two", {})).rejects.toMatchObject({
      name: "RpcError",
      code: 0,
      message: "no such tool",
      data: [1],
    });
  },
);

test.each(eras)(
  "%s: a result that is none says what came, and the next call works",
  async (_, start) => {
    const answers: unknown[] = [null, 7, "text", [1], text("fine")];
    const server = start({ call: ({ id }, far) => far.send({ id, result: answers.shift() }) });
    await using client = await connect(server.options);
    for (let i = 0; i < 4; i++) {
      await expect(client.callTool("one", {})).rejects.toMatchObject({
        code: "rpc_error",
        message: expect.stringContaining("tools/call"),
        facts: { server: "far", tool: "one" },
      });
    }
    expect((await client.callTool("one", {})).result).toMatchObject(text("fine"));
  },
);

test.each(eras)(
  "%s: a link lost in a call is uncertain, one lost before it is not",
  async (_, start) => {
    const server = start({ call: (_message, far) => far.close() });
    await using client = await connect(server.options);
    await expect(client.callTool("one", {})).rejects.toMatchObject({
      code: "uncertain",
      message:
        'server "far" closed its stdout while it was answering tools/call of one: it may or may not have been done',
      facts: { server: "far", tool: "one", sent: true },
    });
    await client.closed;
    await expect(client.callTool("one", {})).rejects.toMatchObject({ code: "server_exit" });
    await expect(client.listTools()).rejects.toMatchObject({ code: "server_exit" });
  },
);

test.each(eras)(
  "%s: a call that takes too long is cancelled, and its late answer disturbs nothing",
  async (_, start) => {
    let late: (() => void) | undefined;
    const server = start({
      call: ({ id, params }, far) => {
        if (params.name === "quick") return text("quick");
        late = () => far.send({ id, result: text("late") });
      },
    });
    await using client = await connect(server.options);
    await expect(client.callTool("slow", {}, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "timeout",
      message: 'server "far" did not answer tools/call of slow within 20 ms',
      facts: { method: "tools/call", tool: "slow", timeoutMs: 20 },
      hint: expect.stringContaining("timeoutMs"),
    });
    await until(() => server.methods().includes("notifications/cancelled"));
    const next = client.callTool("quick", {});
    late?.();
    expect((await next).result).toMatchObject(text("quick"));
  },
);

test.each(eras)("%s: any answer to a ping means alive", async (era, start) => {
  const server = start({});
  await using client = await connect(server.options);
  await client.ping();
  expect(server.methods().at(-1)).toBe(era === "legacy" ? "ping" : "server/discover");
});

test("a server that does not know ping is alive, too", async () => {
  const server = scripted((message, far) =>
    message.method === "ping"
      ? far.send({ id: message.id, error: unknownMethod })
      : legacyScript()(message, far),
  );
  await using client = await connect(server.options);
  await client.ping();
});
