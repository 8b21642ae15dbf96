/** Eras over HTTP (protocol.md 1.4): each row of the table, what proves nothing, and what is remembered. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { connect } from "../../lib/client/client.ts";
import type { Verdict } from "../../lib/client/connect-types.ts";
import type { McpClient } from "../../lib/client/types.ts";
import { httpScripted, refusal, unreached } from "./http-kit.ts";
import type { Asked, Exchange } from "./http-kit.ts";
import { text, tool, unknownMethod } from "./kit.ts";

const revision = "2026-07-28";
const discovered: Exchange = {
  result: {
    resultType: "complete",
    supportedVersions: [revision],
    capabilities: { tools: {}, prompts: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "2.0" } },
  },
};
const unsupported = (...supported: string[]): Exchange => ({
  error: { code: -32022, message: "not that version", data: { supported } },
});

function modern({ method }: Asked): Exchange {
  if (method === "server/discover") return discovered;
  if (method === "tools/list") return { result: { resultType: "complete", tools: [tool("one")] } };
  if (method === "tools/call") return { result: { resultType: "complete", ...text("done") } };
  return method === "initialize" ? unsupported(revision) : { error: unknownMethod };
}

function legacy({ method, params }: Asked): Exchange {
  const { protocolVersion } = params;
  if (method === "initialize")
    return {
      result: {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "scripted", version: "1.0" },
      },
    };
  if (method === "tools/list") return { result: { tools: [tool("one")] } };
  return method === "tools/call" ? { result: text("done") } : { error: unknownMethod };
}

/** The server answers the probe as told, and everything else as the script. */
function probed(answers: Exchange[], rest = legacy): (asked: Asked) => Exchange {
  const left = [...answers];
  return (asked) =>
    asked.method === "server/discover" ? (left.shift() ?? modern(asked)) : rest(asked);
}

function mute({ method }: Asked): Exchange {
  return method === "server/discover" ? undefined : legacy({ method, params: {} });
}

function ended(cause?: unknown): HostError {
  const facts = { sent: true, httpStatus: 200 };
  return new HostError("server_exit", "no answer", { facts, cause });
}

async function failureOf(connecting: Promise<McpClient>): Promise<HostError> {
  const error = await connecting.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeDefined();
  return error as HostError;
}

const handshake = ["server/discover", "initialize", "notifications/initialized"];

test("B026: a server that never takes notifications/initialized is asked all the same", async () => {
  const server = httpScripted(legacy, { startTimeoutMs: 60_000, protocol: "legacy" });
  const { open } = server.options;
  server.options.open = async () => {
    const link = await open();
    const send = link.send.bind(link);
    link.send = async (message, options) => {
      await send(message, options);
      if ("method" in message && !("id" in message)) await new Promise(() => {});
    };
    return link;
  };
  await using client = await connect(server.options);
  expect((await client.listTools()).tools).toHaveLength(1);
  expect(server.methods).toEqual(["initialize", "notifications/initialized", "tools/list"]);
});

describe("legacy", () => {
  const rows: [string, Exchange][] = [
    ["HTTP 400", { status: 400 }],
    ["HTTP 404", { status: 404 }],
    ["HTTP 405", { status: 405 }],
    ["HTTP 406", { status: 406 }],
    ["HTTP 422", { status: 422 }],
    // O002: supergateway says this with 404
    ["-32601", { error: unknownMethod }],
    ["-32600", { error: { code: -32600, message: "not initialized" } }],
    ["-32602", { error: { code: -32602, message: "bad" } }],
    ["-32000, no session", { error: { code: -32000, message: "Mcp-Session-Id required" } }],
    [
      "-32004 of a draft",
      { error: { code: -32004, message: "?", data: { supported: [revision] } } },
    ],
    ["-32001 of a draft", { error: { code: -32001, message: "headers" } }],
    ["-32022 that lists legacy alone", unsupported("2025-11-25", "2025-06-18")],
    ["a result that is none", { result: {} }],
  ];
  test.each(rows)("%s to the probe leads to initialize", async (_, answer) => {
    const server = httpScripted(probed([answer]));
    await using client = await connect(server.options);
    expect(client.verdict).toEqual({
      era: "legacy",
      revision: "2025-11-25",
      server: "scripted@1.0",
    });
    expect(server.methods).toEqual(handshake);
    expect(server.links).toBe(1);
  });
});

describe("modern", () => {
  test("a DiscoverResult is enough, and says what is to be remembered", async () => {
    const server = httpScripted(modern);
    await using client = await connect(server.options);
    expect(client.verdict).toEqual({
      era: "modern",
      revision,
      server: "scripted@2.0",
      capabilities: { tools: {}, prompts: {} },
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test.each([
    ["-32022 that lists ours", unsupported(revision)],
    ["-32020", { error: { code: -32020, message: "headers" } }],
    ["-32021", { error: { code: -32021, message: "capability" } }],
  ] as [string, Exchange][])(
    "%s is answered by another try, never by initialize",
    async (_, answer) => {
      const server = httpScripted(probed([answer], modern));
      await using client = await connect(server.options);
      expect(client.era).toBe("modern");
      expect(server.methods).toEqual(["server/discover", "server/discover"]);
    },
  );

  test.each([
    ["-32020", -32020, /refused server\/discover: no/],
    ["-32021", -32021, /refused server\/discover: no/],
    ["-32022", -32022, /revisions that we do not: 2026-07-28/],
  ])("%s twice is the server's last word", async (_, code, message) => {
    const no: Exchange = { error: { code, message: "no", data: { supported: [revision] } } };
    const server = httpScripted(probed([no, no]));
    const error = await failureOf(connect(server.options));
    expect(error).toMatchObject({ code: "server_start", facts: { server: "far" } });
    expect(error.message).toMatch(message);
    expect(server.methods).toEqual(["server/discover", "server/discover"]);
  });

  test("revisions that are newer than ours are an error, and never initialized", async () => {
    const server = httpScripted(probed([unsupported("2099-01-01")]));
    const error = await failureOf(connect(server.options));
    expect(error).toMatchObject({ code: "server_start", facts: { supported: ["2099-01-01"] } });
    expect(server.methods).toEqual(["server/discover"]);
  });
});

describe("what proves nothing is reported, and nothing else is tried", () => {
  test.each([502, 503, 408, 429])("HTTP %d", async (status) => {
    const server = httpScripted(probed([{ status }]));
    const error = await failureOf(connect(server.options));
    expect(error).toMatchObject({
      code: "server_start",
      message: `server "far" answered HTTP ${status}`,
      facts: { httpStatus: status, method: "server/discover" },
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("a server that cannot be reached", async () => {
    const server = httpScripted(probed([{ failure: unreached() }]));
    expect(await failureOf(connect(server.options))).toMatchObject({
      code: "server_start",
      facts: { errno: "ECONNREFUSED" },
      hint: "is the server running?",
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("silence, for as long as a start may take", async () => {
    const server = httpScripted(mute, { startTimeoutMs: 60 });
    const startedAt = performance.now();
    expect(await failureOf(connect(server.options))).toMatchObject({
      code: "server_start",
      message: expect.stringMatching(/^server "far" did not answer server\/discover in \d+\.\d s$/),
      hint: expect.stringContaining("URL"),
    });
    expect(performance.now() - startedAt).toBeGreaterThan(55);
    expect(server.methods).toEqual(["server/discover"]);
  });
});

describe("some have a fault wherever they do not know what is asked, or say nothing", () => {
  test.each([500, 501])("HTTP %d: initialize is asked, too", async (status) => {
    const server = httpScripted(probed([{ status }]));
    await using client = await connect(server.options);
    expect(client.era).toBe("legacy");
    expect(server.methods.slice(0, 2)).toEqual(["server/discover", "initialize"]);
  });

  test("where that fails, too, the first error is told", async () => {
    const server = httpScripted(probed([{ status: 500 }], () => ({ status: 404 })));
    expect(await failureOf(connect(server.options))).toMatchObject({
      facts: { httpStatus: 500, method: "server/discover" },
    });
    expect(server.methods).toEqual(["server/discover", "initialize"]);
    const modernOnly = httpScripted(probed([{ status: 500 }]), { protocol: "modern" });
    await failureOf(connect(modernOnly.options));
    expect(modernOnly.methods).toEqual(["server/discover"]);
  });

  test("silence: initialize is asked beside it", async () => {
    const server = httpScripted(mute);
    await using client = await connect(server.options);
    expect(client.era).toBe("legacy");
    expect(server.methods.slice(0, 2)).toEqual(["server/discover", "initialize"]);
  });

  test("one that is modern and slow may take its time, whatever it says to initialize", async () => {
    const server = httpScripted(async (asked) => {
      if (asked.method === "server/discover") await Bun.sleep(300);
      return asked.method === "initialize" ? { status: 404 } : modern(asked);
    });
    await using client = await connect(server.options);
    expect(client.era).toBe("modern");
    expect(server.methods).toEqual(["server/discover", "initialize"]);
  });
});

describe("remembered as modern", () => {
  const verdict: Verdict = {
    era: "modern",
    revision,
    server: "@scope/name@2.0",
    capabilities: { tools: {} },
  };

  test("nothing is sent before it is used", async () => {
    const server = httpScripted(modern, { verdict });
    await using client = await connect(server.options);
    expect(client).toMatchObject({
      era: "modern",
      revision,
      capabilities: { tools: {} },
      serverInfo: { name: "@scope/name", version: "2.0" },
    });
    expect(client.verdict).toBe(verdict);
    await client.listTools();
    await client.callTool("one", {});
    expect(server.methods).toEqual(["tools/list", "tools/call"]);
  });

  const lost = { code: "server_exit", facts: { sent: false, sessionLost: true, eraLost: true } };

  test.each([
    ["a legacy server", legacy, ["tools/call", "server/discover"]],
    [
      "a server that refuses by its status",
      ({ method }: Asked): Exchange => (method === "x" ? undefined : { status: 400 }),
      ["tools/call", "server/discover"],
    ],
    ["another revision", (): Exchange => unsupported("2099-01-01"), ["tools/call"]],
  ] as [string, (asked: Asked) => Exchange, string[]][])(
    "%s instead is a link to be made anew",
    async (_, script, methods) => {
      const refusing = (asked: Asked) =>
        asked.method === "tools/call" && script === legacy
          ? ({ error: { code: -32000, message: "no session" } } as const)
          : script(asked);
      const server = httpScripted(refusing, { verdict });
      await using client = await connect(server.options);
      const error = await client.callTool("one", {}).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(lost);
      expect(server.methods).toEqual(methods);
    },
  );

  test("an error of a server that is modern still is its own, asked about once", async () => {
    const server = httpScripted(
      (asked) =>
        asked.method === "tools/call"
          ? { error: { code: -32602, message: "no such tool" } }
          : modern(asked),
      { verdict },
    );
    await using client = await connect(server.options);
    const calls = Array.from({ length: 5 }, () =>
      client.callTool("two", {}).catch((error: unknown) => error),
    );
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: -32602 });
    await client.callTool("two", {}).catch(() => {});
    expect(server.methods.filter((method) => method === "server/discover")).toHaveLength(1);
  });

  test("trouble of the network says nothing of the era", async () => {
    const server = httpScripted(() => ({ failure: unreached() }), { verdict });
    await using client = await connect(server.options);
    const error = await client.listTools().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ facts: { errno: "ECONNREFUSED" } });
    expect(server.methods).toEqual(["tools/list"]);
  });
});

describe("remembered as legacy", () => {
  const verdict: Verdict = { era: "legacy", revision: "2025-11-25", server: "scripted@1.0" };

  test("initialize comes first", async () => {
    const server = httpScripted(legacy, { verdict });
    await using client = await connect(server.options);
    expect(client.verdict).toBe(verdict);
    expect(server.methods).toEqual(handshake.slice(1));
  });

  test.each([
    ["an error", unsupported(revision)],
    ["HTTP 404", { status: 404 }],
  ] as [string, Exchange][])("%s to initialize leads to the probe", async (_, answer) => {
    const server = httpScripted(
      (asked) => (asked.method === "initialize" ? answer : modern(asked)),
      { verdict },
    );
    await using client = await connect(server.options);
    expect(client.verdict).toMatchObject({ era: "modern", revision });
    expect(server.methods).toEqual(["initialize", "server/discover"]);
  });
});

// B016
test.each([
  ["supported versions: 2025-06-18, 2024-11-05", ["2025-11-25", "2025-06-18"]],
  ['{"error":"unsupported","supported":["2024-11-05"]}', ["2025-11-25", "2024-11-05"]],
  ["bad request", ["2025-11-25"]],
])("initialize refused by HTTP 400 with %j", async (body, asked) => {
  const revisions: string[] = [];
  const server = httpScripted((one) => {
    if (one.method !== "initialize") return legacy(one);
    revisions.push(one.params.protocolVersion);
    return revisions.length === 1 ? { failure: refusal(400, body) } : legacy(one);
  });
  const connected = await connect(server.options).then(
    (client) => client[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
  expect(revisions).toEqual(asked);
  if (asked.length === 1) expect(connected).toMatchObject({ facts: { httpStatus: 400, body } });
});

// B028
test("a web page instead of an answer is one request, and its own error", async () => {
  const facts = { server: "far", sent: true, httpStatus: 200, contentType: "text/html" };
  const failure = new HostError("rpc_error", "expected JSON, got text/html", { facts });
  const server = httpScripted(() => ({ failure }));
  expect(await failureOf(connect(server.options))).toMatchObject({
    code: "server_start",
    message: "expected JSON, got text/html",
  });
  expect(server.methods).toEqual(["server/discover"]);
});

test("a stream that ended without the answer leads to initialize, one that broke proves nothing", async () => {
  const polite = httpScripted(probed([{ failure: ended() }]));
  await using client = await connect(polite.options);
  expect(client.era).toBe("legacy");
  const broken = httpScripted(probed([{ failure: ended(new Error("reset")) }]));
  await failureOf(connect(broken.options));
  expect(broken.methods).toEqual(["server/discover"]);
});

test("an era that was asked for is the only one that is tried", async () => {
  const legacyAlone = httpScripted(legacy, { protocol: "2025-06-18" });
  await using client = await connect(legacyAlone.options);
  expect(client.revision).toBe("2025-06-18");
  expect(legacyAlone.methods).toEqual(handshake.slice(1));
  const modernAlone = httpScripted(legacy, { protocol: "modern" });
  expect(await failureOf(connect(modernAlone.options))).toMatchObject({ code: "server_start" });
  expect(modernAlone.methods).toEqual(["server/discover"]);
});

test("what refused initialize is told with its method and status", async () => {
  const server = httpScripted(() => ({ status: 405 }));
  expect(await failureOf(connect(server.options))).toMatchObject({
    code: "server_start",
    message: 'server "far" answered HTTP 405',
    facts: { method: "initialize", httpStatus: 405 },
  });
});
