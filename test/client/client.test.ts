import { expect, test } from "bun:test";

import type { Answers } from "../../lib/client/answer-types.ts";
import { connect } from "../../lib/client/client.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import {
  legacyScript,
  metaOf,
  modernScript,
  scripted,
  text,
  tool,
  unknownMethod,
  until,
} from "./kit.ts";
import type { LegacyParts, Scripted } from "./kit.ts";

/** One body for both eras. */
const eras: [string, (parts: LegacyParts, extra?: Partial<ConnectOptions>) => Scripted][] = [
  ["legacy", (parts, extra) => scripted(legacyScript(parts), extra)],
  ["modern", (parts, extra) => scripted(modernScript(parts), extra)],
];

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

// Lists

/** Lists by cursor: what each cursor gives; the first page is under `first`. */
function paged(pages: Record<string, object>): LegacyParts {
  return { list: ({ params }) => pages[params.cursor ?? "first"] };
}

test.each(eras)(
  "%s: all pages are read in order, and the cursor goes back as it came",
  async (_, start) => {
    const names = Array.from({ length: 101 }, (_unused, i) => `tool-${i}`);
    const server = start(
      paged({
        first: { tools: names.slice(0, 50).map(tool), nextCursor: "eyJvIjo1MH0=" },
        "eyJvIjo1MH0=": { tools: names.slice(50, 100).map(tool), nextCursor: "" },
        "": { tools: names.slice(100).map(tool), nextCursor: null, _meta: null },
      }),
    );
    await using client = await connect(server.options);
    const { tools, warnings } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(warnings).toEqual([]);
  },
);

test.each([
  [
    "the same cursor for ever",
    { first: { tools: [tool("a")], nextCursor: "x" }, x: { tools: [tool("b")], nextCursor: "x" } },
    ["a", "b"],
  ],
  [
    "a circle",
    {
      first: { tools: [tool("a")], nextCursor: "x" },
      x: { tools: [tool("b")], nextCursor: "y" },
      y: { tools: [tool("c")], nextCursor: "x" },
    },
    ["a", "b", "c"],
  ],
  [
    "the empty cursor for ever",
    { first: { tools: [tool("a")], nextCursor: "" }, "": { tools: [tool("b")], nextCursor: "" } },
    ["a", "b"],
  ],
  ["a cursor that is an object", { first: { tools: [tool("a")], nextCursor: {} } }, ["a"]],
] as const)("%s ends the list with a warning", async (_, pages, names) => {
  const server = scripted(legacyScript(paged(pages)));
  await using client = await connect(server.options);
  const { tools, warnings } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...names]);
  expect(warnings).toEqual([expect.stringContaining("cut")]);
});

test.each([
  ["is refused", true],
  ["gives the first page again", false],
])("an empty cursor that means the end: it %s, and that is it", async (_, isRefused) => {
  const asked: unknown[] = [];
  const list: LegacyParts["list"] = ({ id, params }, far) => {
    asked.push(params.cursor);
    if (params.cursor === undefined || !isRefused) return { tools: [tool("a")], nextCursor: "" };
    far.send({ id, error: { code: -32602, message: "bad cursor" } });
  };
  const server = scripted(legacyScript({ list }));
  await using client = await connect(server.options);
  const { tools, warnings, failure } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["a"]);
  expect({ warnings, failure, asked }).toEqual({
    warnings: [],
    failure: undefined,
    asked: [undefined, ""],
  });
});

const numbered: LegacyParts["list"] = ({ params }) =>
  params.cursor === undefined
    ? { tools: [tool("a")], nextCursor: 50 }
    : { tools: [tool(`b-${typeof params.cursor}-${params.cursor}`)] };

test("a cursor that is a number goes back as one", async () => {
  const server = scripted(legacyScript({ list: numbered }));
  await using client = await connect(server.options);
  const { tools, warnings } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["a", "b-number-50"]);
  expect(warnings).toEqual([]);
});

test("endless pages and endless tools end at their bounds, and what was got is kept", async () => {
  let page = 0;
  const list = () => ({ tools: [tool(`a${++page}`), tool(`b${page}`)], nextCursor: `c${page}` });
  const server = scripted(legacyScript({ list }), { pagesMax: 3 });
  await using client = await connect(server.options);
  const byPages = await client.listTools();
  expect(byPages.tools).toHaveLength(6);
  expect(byPages.warnings).toEqual([expect.stringContaining("3 pages")]);

  const other = scripted(legacyScript({ list }), { toolsMax: 5 });
  await using second = await connect(other.options);
  const byTools = await second.listTools();
  expect(byTools.tools).toHaveLength(5);
  expect(byTools.warnings).toEqual([expect.stringContaining("5 entries")]);
});

test("an error on a later page leaves what was got, and is told: half a list would look whole", async () => {
  const server = scripted(
    legacyScript({
      list: ({ id, params }, far) => {
        if (params.cursor === undefined) return { tools: [tool("a")], nextCursor: "x" };
        far.send({ id, error: { code: -32602, message: "bad cursor" } });
      },
    }),
  );
  await using client = await connect(server.options);
  const { tools, failure } = await client.listTools();
  expect([tools.map(({ name }) => name), failure]).toMatchObject([["a"], { code: -32602 }]);
});

test("a null list result is an error of the server", async () => {
  const server = scripted(legacyScript({ list: ({ id }, far) => far.send({ id, result: null }) }));
  await using client = await connect(server.options);
  await expect(client.listTools()).rejects.toMatchObject({ code: "rpc_error" });
});

const unlisted: LegacyParts = {
  list: ({ id }, far) => far.send({ id, error: unknownMethod }),
};

test("a server without tools has an empty list; one that has them must list them", async () => {
  const without = scripted(legacyScript({ ...unlisted, capabilities: { prompts: {} } }));
  await using client = await connect(without.options);
  expect(await client.listTools()).toEqual({ tools: [], warnings: [expect.any(String)] });
  const broken = scripted(legacyScript(unlisted));
  await using other = await connect(broken.options);
  await expect(other.listTools()).rejects.toMatchObject({ code: -32601 });
});

// What the server asks and tells

/** A legacy server that asks something in the middle of a call and answers with what it was told. */
function asking(method: string, params: object): LegacyParts {
  return {
    call: async ({ id }, far) => {
      far.send({ id: "question", method, params });
      pendingCalls.set(far, id);
    },
  };
}
const pendingCalls = new WeakMap<object, unknown>();

async function askedInCall(method: string, params: object, answers: Answers): Promise<any> {
  const legacy = legacyScript(asking(method, params));
  const server = scripted(
    (message, far) => {
      if (message.id === "question" && message.method === undefined) {
        const { result, error } = message;
        far.send({
          id: pendingCalls.get(far),
          result: { answer: result ?? null, error: error ?? null },
        });
      } else return legacy(message, far);
    },
    { answers },
  );
  await using client = await connect(server.options);
  return (await client.callTool("one", {})).result;
}

test("an elicitation is answered by the answerer, while the call waits", async () => {
  const said = await askedInCall(
    "elicitation/create",
    { message: "Who?" },
    { elicit: async () => ({ action: "accept", content: { name: "Ada" } }) },
  );
  expect(said.answer).toEqual({ action: "accept", content: { name: "Ada" } });
});

test.each(["elicitation/create", "sampling/createMessage", "roots/list", "something/else"])(
  "%s without an answerer is refused at once with -32601",
  async (method) => {
    const said = await askedInCall(method, {}, {});
    expect(said.error).toMatchObject({ code: -32601 });
  },
);

test("what was not declared is refused, though the method was", async () => {
  const answers = { elicit: async () => ({ action: "accept" }), sample: async () => ({}) };
  const url = { mode: "url", url: "https://example.com", message: "Open?" };
  expect((await askedInCall("elicitation/create", url, answers)).error.code).toBe(-32602);
  const tools = { messages: [], maxTokens: 1, tools: [{}] };
  expect((await askedInCall("sampling/createMessage", tools, answers)).error.code).toBe(-32602);
});

test("an answerer that throws is an error for the server, and only for it", async () => {
  const said = await askedInCall(
    "sampling/createMessage",
    { messages: [], maxTokens: 1 },
    { sample: () => Promise.reject(new Error("no model")) },
  );
  expect(said.error).toMatchObject({ code: -32603 });
});

test("exactly what can be answered is declared", async () => {
  const answers = { roots: async () => [], elicit: async () => ({ action: "decline" }) };
  const legacy = scripted(legacyScript(), { answers });
  await using first = await connect(legacy.options);
  expect(first.era).toBe("legacy");
  expect(
    legacy.received.find(({ method }) => method === "initialize")?.params.capabilities,
  ).toEqual({
    roots: {},
    elicitation: { form: {} },
  });
  const modern = scripted(modernScript(), { answers: { sample: async () => ({}) } });
  await using b = await connect(modern.options);
  await b.listTools();
  for (const message of modern.received) {
    expect(metaOf(message)["io.modelcontextprotocol/clientCapabilities"]).toEqual({
      sampling: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
  }
});

test("roots asked for in the middle of tools/list are answered before the list", async () => {
  let list: unknown;
  const legacy = legacyScript({
    list: ({ id }, far) => {
      list = id;
      far.send({ id: 1, method: "roots/list" });
    },
  });
  const server = scripted(
    (message, far) => {
      if (message.method !== undefined) return legacy(message, far);
      far.send({
        id: list,
        result: { tools: message.result.roots.map(({ name }: any) => tool(name)) },
      });
    },
    { answers: { roots: async () => [{ uri: "file:///srv", name: "srv" }] } },
  );
  await using client = await connect(server.options);
  expect((await client.listTools()).tools).toMatchObject([{ name: "srv" }]);
});

test("each list change is passed on, declared or not; other notifications are ignored", async () => {
  const changed: string[] = [];
  const server = scripted(
    legacyScript({
      capabilities: {},
      call: (_, far) => {
        for (let i = 0; i < 200; i++) far.send({ method: "notifications/tools/list_changed" });
        far.send({ method: "notifications/resources/list_changed" });
        far.send({ method: "notifications/prompts/list_changed" });
        far.send({ method: "notifications/__proto__/list_changed" });
        far.send({ method: "notifications/whatever", params: { a: 1 } });
        return text("done");
      },
    }),
    { onListChanged: (list) => changed.push(list) },
  );
  await using client = await connect(server.options);
  await client.callTool("one", {});
  expect(changed.filter((list) => list === "tools")).toHaveLength(200);
  expect(changed.slice(-2)).toEqual(["resources", "prompts"]);
});

test("log notifications become log entries, whatever their data", async () => {
  const sent = [
    { level: "debug", data: "plain" },
    { level: "notice", logger: "db", data: { rows: 3 } },
    { level: "emergency", data: [1, null] },
    { level: "warning", data: "x".repeat(100_000) },
    { level: "odd" },
    { level: "ERROR", data: "in capitals" },
    { level: "fatal", data: "by another name" },
  ];
  const server = scripted(
    legacyScript({
      call: (_, far) => {
        for (const params of sent) far.send({ method: "notifications/message", params });
        return text("done");
      },
    }),
  );
  await using client = await connect(server.options);
  await client.callTool("one", {});
  const entries = server.log.filter(({ source }) => source === "notification");
  expect(entries.map(({ level }) => level)).toEqual([
    "debug",
    "info",
    "error",
    "warn",
    "info",
    "error",
    "error",
  ]);
  expect(entries.slice(0, 3).map((entry) => entry.text)).toEqual([
    "plain",
    'db: {"rows":3}',
    "[1,null]",
  ]);
  expect(entries[3]?.text.length).toBeLessThan(9000);
  expect(entries[0]?.server).toBe("far");
});

test("a modern server that sends requests is refused, but for ping", async () => {
  const server = scripted(
    modernScript({
      call: (_, far) => {
        far.send({ id: 1, method: "roots/list" });
        far.send({ id: 2, method: "ping" });
        return text("done");
      },
    }),
    { answers: { roots: async () => [] } },
  );
  await using client = await connect(server.options);
  await client.callTool("one", {});
  await until(() => server.received.filter(({ method }) => method === undefined).length === 2);
  const replies = server.received.filter(({ method }) => method === undefined);
  expect(replies.find(({ id }) => id === 1)?.error).toMatchObject({ code: -32601 });
  expect(replies.find(({ id }) => id === 2)?.result).toEqual({});
});
