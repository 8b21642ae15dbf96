/** Spans of calls: what a collector on loopback gets, and that nobody waits for it. */
import { describe, expect, test } from "bun:test";

import type { LogEntry } from "../../lib/base/log.ts";
import type { Span } from "../../lib/serve/otlp-json.ts";
import { otlpSettings } from "../../lib/serve/otlp-settings.ts";
import { SpanExporter } from "../../lib/serve/otlp.ts";
import type { SpanExporterOptions } from "../../lib/serve/otlp.ts";
import { openTracing } from "../../lib/serve/tracing.ts";
import { sourceProgram, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { answerTo, session, told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";
import { fixtureKit, jsonOf } from "./rest-kit.ts";

interface Got {
  path: string;
  headers: Record<string, string>;
  body: any;
}

interface Collector extends AsyncDisposable {
  url: string;
  got: Got[];
  spans(): any[];
}

/** Takes what is posted, and answers as it is told. */
function collector(answer: (at: number) => Response | Promise<Response> = accepted): Collector {
  const got: Got[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      got.push({ path: pathname, headers, body: await request.json() });
      return await answer(got.length - 1);
    },
  });
  return {
    url: server.url.origin,
    got,
    spans: () => got.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function accepted(): Response {
  return Response.json({ partialSuccess: {} });
}

const program = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
  const meta = (_args, message) => text(JSON.stringify(message.params._meta ?? null));
  const fails = () => ({ ...text("private"), isError: true });
  const refuse = (_args, message, server) => server.fail(message, -32050, "no: s3cr3t");
  await serve({ tools: [tool("meta"), tool("fails"), tool("refuse")], calls: { meta, fails, refuse } });`;

function redact(text: string): string {
  return text.replaceAll("s3cr3t", "***");
}

/** A server that says what it got, served as `serve` does it in that environment. */
function servedOver(
  env: Record<string, string>,
  fixtures: Record<string, Fixture> = {},
): ServedHost & { logged: LogEntry[]; flush(): Promise<void> } {
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const tracing = openTracing(env, { log, redact });
  const all = { s: { prefix: "s_", args: ["-e", program] }, ...fixtures };
  const kit = serveOver(all, { over: (host) => tracing?.over(host) ?? host });
  const flush = async () => void (await tracing?.[Symbol.asyncDispose]());
  return {
    ...kit,
    logged,
    flush,
    async [Symbol.asyncDispose]() {
      await kit[Symbol.asyncDispose]();
      await flush();
    },
  };
}

function endpoint({ url }: Collector): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url };
}

function attributesOf(span: any): Record<string, string> {
  return Object.fromEntries(span.attributes.map(({ key, value }: any) => [key, value.stringValue]));
}

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentSpanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentSpanId}-01`;

describe("a call over HTTP", () => {
  test("becomes a span, under which its server works", async () => {
    await using to = collector();
    await using kit = servedOver({ ...endpoint(to), OTEL_SERVICE_NAME: "my host" });
    const began = Date.now();
    const headers = { traceparent, tracestate: "a=b" };
    const body = await jsonOf(await kit.ask("/tools", { json: { tool: "s_meta" }, headers }));
    const ended = Date.now();
    await kit.flush();
    expect(to.got).toHaveLength(1);
    const [got] = to.got;
    expect(got!.path).toBe("/v1/traces");
    expect(got!.headers["content-type"]).toBe("application/json");
    expect(got!.body.resourceSpans).toMatchObject([
      {
        resource: {
          attributes: expect.arrayContaining([
            { key: "service.name", value: { stringValue: "my host" } },
          ]),
        },
        scopeSpans: [{ scope: { name: "mcphost", version: expect.any(String) } }],
      },
    ]);
    const [span] = to.spans();
    expect(span).toEqual({
      traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId,
      traceState: "a=b",
      flags: 0x301,
      name: "tools/call meta",
      kind: 3,
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      attributes: expect.any(Array),
      status: {},
    });
    expect(attributesOf(span)).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "meta",
      "mcphost.server": "s",
      "mcphost.outcome": "completed",
      "mcphost.call.id": body.call,
    });
    const [from, to_] = [span.startTimeUnixNano, span.endTimeUnixNano].map(
      (ns) => Number(ns) / 1e6,
    );
    expect(from).toBeGreaterThanOrEqual(began - 50);
    expect(to_).toBeGreaterThan(from!);
    expect(to_).toBeLessThanOrEqual(ended + 50);
    expect(JSON.parse(body.plain_text_response)).toMatchObject({
      traceparent: `00-${traceId}-${span.spanId}-01`,
      tracestate: "a=b",
    });
  });

  test("without a trace begins one; one that is not recorded is passed on as it came", async () => {
    await using to = collector();
    await using kit = servedOver(endpoint(to));
    const ask = async (headers: Record<string, string>) => {
      const answer = await kit.ask("/tools", { json: { tool: "s_meta" }, headers });
      return JSON.parse((await jsonOf(answer)).plain_text_response);
    };
    const unsampled = traceparent.replace(/01$/, "00");
    expect(await ask({ traceparent: unsampled })).toMatchObject({ traceparent: unsampled });
    const { traceparent: made } = await ask({ tracestate: "stray=1" });
    await kit.flush();
    const [span, ...more] = to.spans();
    expect(more).toEqual([]);
    expect(made).toBe(`00-${span.traceId}-${span.spanId}-01`);
    expect(span).toMatchObject({ flags: 0x101 });
    expect(span).not.toHaveProperty("parentSpanId");
    expect(span).not.toHaveProperty("traceState");
  });

  test("that fails says how, without secrets and without what the tool said", async () => {
    await using to = collector();
    await using kit = servedOver(endpoint(to), { gone: { command: "/nowhere/to", args: [] } });
    for (const tool of ["s_fails", "s_refuse", "gone_x", "s_nothing"])
      await kit.ask("/tools", { json: { tool } });
    await kit.flush();
    const spans = to.spans();
    expect(spans.map((span) => [span.name, attributesOf(span)["error.type"]])).toEqual([
      ["tools/call fails", "tool_error"],
      ["tools/call refuse", "-32050"],
      ["tools/call gone_x", "server_start"],
      ["tools/call s_nothing", "usage"],
    ]);
    expect(spans[0].status).toEqual({ code: 2 });
    expect(spans[1].status).toMatchObject({ code: 2, message: expect.stringContaining("no: ***") });
    expect(attributesOf(spans[1])).toMatchObject({
      "mcphost.outcome": "failed",
      "rpc.response.status_code": "-32050",
    });
    expect(attributesOf(spans[2])).toMatchObject({ "mcphost.server": "gone" });
    expect(JSON.stringify(to.got)).not.toMatch(/s3cr3t|private/);
  });
});

test("a call through the gateway is one, too: under the trace of its _meta", async () => {
  await using to = collector();
  await using kit = servedOver(endpoint(to));
  const client = await session(kit);
  const all = await told(await client.call("s_meta", {}, 1, { traceparent }));
  await kit.flush();
  const [span] = to.spans();
  expect(span).toMatchObject({ traceId, parentSpanId });
  expect(answerTo(all)?.result.content[0].text).toContain(span.spanId);
});

function exporterTo(
  to: Collector,
  options: Partial<SpanExporterOptions> = {},
): { exporter: SpanExporter; logged: LogEntry[] } {
  const logged: LogEntry[] = [];
  const exporter = new SpanExporter({
    url: `${to.url}/v1/traces`,
    headers: { authorization: "Bearer s3cr3t" },
    serviceName: "x",
    version: "1",
    log: (entry) => void logged.push(entry),
    everyMs: 10,
    endMs: 500,
    ...options,
  });
  return { exporter, logged };
}

function spanOf(name = "s"): Span {
  return {
    traceId,
    spanId: parentSpanId,
    parentSpanId: undefined,
    traceState: undefined,
    flags: "01",
    name,
    startMs: 1_700_000_000_000.25,
    endMs: 1_700_000_000_001.5,
    attributes: {},
    error: undefined,
  };
}

describe("the exporter", () => {
  test("sends batches: what waits for a while, and as many as one takes at once", async () => {
    await using to = collector();
    const { exporter } = exporterTo(to, { batchMax: 3 });
    exporter.add(spanOf("alone"));
    await waitFor(() => to.got.length === 1);
    expect(to.spans()[0]).toMatchObject({
      startTimeUnixNano: "1700000000000250000",
      endTimeUnixNano: "1700000000001500000",
    });
    for (let at = 0; at < 7; at++) exporter.add(spanOf(String(at)));
    await exporter[Symbol.asyncDispose]();
    expect(to.spans().map(({ name }) => name)).toEqual(["alone", ..."0123456"]);
    expect(to.got.every(({ body }) => body.resourceSpans[0].scopeSpans[0].spans.length <= 3)).toBe(
      true,
    );
    expect(exporter.dropped).toBe(0);
  });

  test("keeps what was not taken for the next time, and says it once, without its headers", async () => {
    await using to = collector((at) =>
      at < 3 ? new Response("s3cr3t", { status: 503 }) : accepted(),
    );
    const { exporter, logged } = exporterTo(to);
    exporter.add(spanOf());
    await waitFor(() => to.got.length === 4);
    await exporter[Symbol.asyncDispose]();
    expect(to.got.at(-1)!.headers["authorization"]).toBe("Bearer s3cr3t");
    const warned = logged.filter(({ level }) => level === "warn");
    expect(warned).toMatchObject([
      { text: expect.stringMatching(/to 127\.0\.0\.1:\d+: HTTP 503$/) },
    ]);
    expect(JSON.stringify(logged)).not.toContain("s3cr3t");
    expect(exporter.dropped).toBe(0);
  });

  test("drops and counts what is refused, what is too much, and what nobody takes in the end", async () => {
    await using to = collector((at) =>
      at === 0
        ? new Response(null, { status: 400 })
        : at === 1
          ? Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "no" } })
          : new Response(null, { status: 429 }),
    );
    const { exporter, logged } = exporterTo(to, { queueMax: 5 });
    exporter.add(spanOf());
    await waitFor(() => exporter.dropped === 1);
    exporter.add(spanOf());
    await waitFor(() => exporter.dropped === 3);
    for (let at = 0; at < 12; at++) exporter.add(spanOf());
    expect(exporter.dropped).toBe(3 + 7);
    await exporter[Symbol.asyncDispose]();
    expect(exporter.dropped).toBe(15);
    expect(logged.at(-1)).toEqual({ level: "warn", text: "15 spans were not exported" });
    exporter.add(spanOf());
    expect(exporter.dropped).toBe(16);
  });

  test("a collector that answers nothing holds up neither calls nor the end", async () => {
    const never = Promise.withResolvers<Response>();
    await using to = collector(() => never.promise);
    const { exporter } = exporterTo(to, { batchMax: 1, endMs: 100 });
    for (let at = 0; at < 10; at++) exporter.add(spanOf());
    await waitFor(() => to.got.length === 1);
    await exporter[Symbol.asyncDispose]();
    expect(exporter.dropped).toBe(10);
    never.resolve(accepted());
  });

  test("one that sends us elsewhere gets nothing there", async () => {
    await using there = collector();
    await using to = collector(() => Response.redirect(`${there.url}/v1/traces`, 307));
    const { exporter } = exporterTo(to);
    exporter.add(spanOf());
    await waitFor(() => exporter.dropped === 1);
    expect(there.got).toEqual([]);
    await exporter[Symbol.asyncDispose]();
  });

  test("one that is not there is said by its name alone", async () => {
    const to = collector();
    const { exporter, logged } = exporterTo(to);
    await to[Symbol.asyncDispose]();
    exporter.add(spanOf());
    await waitFor(() => logged.length > 0);
    expect(logged[0]?.text).toMatch(/^spans could not be exported to 127\.0\.0\.1:\d+: \w+$/);
    await exporter[Symbol.asyncDispose]();
  });
});

test("serve exports what is left when it is told to end; its environment says where to", async () => {
  await using to = collector();
  await using home = await tempDir();
  const argv = ["serve", "--json", "--port", "0", "--log-level", "debug", "--"];
  const proc = Bun.spawn([...sourceProgram, ...argv, process.execPath, "-e", program], {
    env: {
      PATH: process.env["PATH"],
      HOME: home.path,
      OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20k3y-of-mine",
    },
    cwd: home.path,
    stdout: "pipe",
    stderr: "pipe",
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  const { value } = await proc.stdout.getReader().read();
  const { url } = JSON.parse(new TextDecoder().decode(value)) as { url: string };
  const answer = await fetch(`${url}/tools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tool: "server_meta" }),
  });
  expect(answer.status).toBe(200);
  proc.kill("SIGTERM");
  expect(await proc.exited).toBe(143);
  expect(to.spans()).toMatchObject([{ name: "tools/call meta", status: {} }]);
  expect(to.got[0]!.headers["authorization"]).toBe("Bearer k3y-of-mine");
  const said = (await jsonOf(answer)).plain_text_response + (await proc.stderr.text());
  expect(said).toContain(to.spans()[0].spanId);
  expect(said).not.toMatch(/k3y|OTEL_/);
}, 30_000);

describe("the environment", () => {
  const at = "http://c:4318";
  test.each<[Record<string, string>, unknown]>([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_SDK_DISABLED: "TRUE" }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${at}/` }, { url: `${at}/v1/traces`, serviceName: "mcphost" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${at}/x` }, { url: `${at}/x/v1/traces`, headers: {} }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t/p?q=1" },
      { url: "https://t/p?q=1" },
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_HEADERS: "a=b%20c, __proto__=d=e," },
      { headers: JSON.parse('{"a":"b c","__proto__":"d=e"}') },
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: at,
        OTEL_EXPORTER_OTLP_HEADERS: "a=b",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "c=d",
        OTEL_SERVICE_NAME: "me",
      },
      { headers: { c: "d" }, serviceName: "me" },
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "c:4318" }, { problem: expect.stringContaining("no URL") }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "ftp://c" }, { problem: expect.any(String) }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      { problem: expect.stringContaining("grpc") },
    ],
    ...["s3cr3t", "=s3cr3t", "a=%zz", "a b=s3cr3t", "a=x%0d%0ay"].map(
      (headers): [Record<string, string>, unknown] => [
        { OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_HEADERS: headers },
        { problem: expect.not.stringContaining("s3cr3t") },
      ],
    ),
  ])("%j", (env, expected) => {
    const settings = otlpSettings(env);
    if (expected === undefined) expect(settings).toBeUndefined();
    else expect(settings).toMatchObject(expected as object);
  });

  test("what says nothing useful is warned of, and nothing is traced", () => {
    const logged: LogEntry[] = [];
    const log = (entry: LogEntry) => void logged.push(entry);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "nowhere" };
    expect(openTracing(env, { log, redact: (text) => text })).toBeUndefined();
    expect(logged).toMatchObject([{ level: "warn", text: expect.stringContaining("no spans") }]);
  });
});
