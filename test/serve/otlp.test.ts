/** Spans of calls: what a collector on loopback gets of calls over HTTP and through the gateway. */
import { describe, expect, test } from "bun:test";

import type { LogEntry } from "../../lib/base/log.ts";
import { openTracing } from "../../lib/serve/tracing.ts";
import { answerTo, session, told } from "./gateway-kit.ts";
import { type Fixture, type ServedHost, serveOver } from "./kit.ts";
import { type Collector, collector, parentSpanId, program, traceId } from "./otlp-kit.ts";
import { jsonOf } from "./rest-kit.ts";

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
