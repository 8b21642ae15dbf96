/** The exporter of spans: batches, what was not taken or is too much, and that nobody waits for it. */
import { describe, expect, test } from "bun:test";

import type { LogEntry } from "../../lib/base/log.ts";
import type { Span } from "../../lib/serve/otlp-json.ts";
import { SpanExporter, type SpanExporterOptions } from "../../lib/serve/otlp.ts";
import { waitFor } from "../processes.ts";
import { accepted, type Collector, collector, parentSpanId, traceId } from "./otlp-kit.ts";

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
