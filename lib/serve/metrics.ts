/** `/metrics`: the counters in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import type { HostTool, ServerStatus } from "../host/types.ts";
import { bucketBounds, type CallCount, Counters, type ServerCount } from "./counters.ts";
import { namesOf } from "./tools-now.ts";
import type { Caller, Route, ServeContext } from "./types.ts";

export function metricsRoutes(context: ServeContext): Route[] {
  const { host, streams, guests, stopping } = context;
  const counters = new Counters(host.servers().map(({ name }) => name));
  const watching = host.onEvent((event) => counters.count(event));
  stopping.addEventListener("abort", () => watching[Symbol.dispose](), { once: true });
  return [
    {
      method: "GET",
      path: "/metrics",
      async handle({ caller }) {
        const { tools } = await host.knownTools();
        const isVisible = visibleTo(caller, tools);
        const calls = [...counters.calls].filter(isVisible);
        const text = [
          ...callLines(calls),
          ...serverLines([...counters.servers]),
          ...queueLines(host.servers()),
          ...gauge("mcphost_streams_open", "Open streams and sockets of clients.", streams.size),
          ...gauge("mcphost_guests", "Clients that have servers of their own.", guests.size),
          ...gauge(
            "process_resident_memory_bytes",
            "Memory of this process.",
            process.memoryUsage.rss(),
          ),
          ...gauge(
            "process_start_time_seconds",
            "When this process started.",
            performance.timeOrigin / 1000,
          ),
        ].join("\n");
        return new Response(`${text}\n`, {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      },
    },
  ];
}

// --- internal ---

/** By all names of a tool, as far as they are known by now. */
function visibleTo(
  { allows }: Caller,
  tools: readonly HostTool[],
): (count: Pick<CallCount, "server" | "tool">) => boolean {
  const known = new Map(tools.map((tool) => [`${tool.server}\0${tool.tool}`, namesOf(tool)]));
  return ({ server, tool }) =>
    allows(known.get(`${server}\0${tool}`) ?? namesOf({ server, tool, name: tool }));
}

function callLines(calls: readonly CallCount[]): string[] {
  const ended = calls.flatMap(({ server, tool, ends }) =>
    Array.from(ends, ([status, count]) =>
      line("mcphost_calls_total", { server, tool, status }, count),
    ),
  );
  const errors = calls.map(({ server, tool, ends }) => {
    const all = [...ends.values()].reduce((sum, count) => sum + count, 0);
    const labels = { server, tool };
    return line("mcphost_call_errors_total", labels, all - (ends.get("completed") ?? 0));
  });
  return [
    ...head("mcphost_calls_total", "counter", "Calls that have ended, by their status."),
    ...ended,
    ...head("mcphost_call_errors_total", "counter", "Calls that ended in anything but a result."),
    ...errors,
    ...head("mcphost_call_seconds", "histogram", "How long calls took."),
    ...calls.flatMap(histogramLines),
  ];
}

function histogramLines({ server, tool, buckets, seconds }: CallCount): string[] {
  const labels = { server, tool };
  let sum = 0;
  const lines = buckets.map((count, at) => {
    sum += count;
    const le = at < bucketBounds.length ? String(bucketBounds[at]) : "+Inf";
    return line("mcphost_call_seconds_bucket", { ...labels, le }, sum);
  });
  return [
    ...lines,
    line("mcphost_call_seconds_sum", labels, seconds),
    line("mcphost_call_seconds_count", labels, sum),
  ];
}

function serverLines(servers: readonly [string, ServerCount][]): string[] {
  const each = (name: string, value: (count: ServerCount) => number) =>
    servers.map(([server, count]) => line(name, { server }, value(count)));
  return [
    ...head("mcphost_calls_in_flight", "gauge", "Calls that run now."),
    ...each("mcphost_calls_in_flight", ({ running }) => running),
    ...head("mcphost_server_up", "gauge", "1 while the server is connected."),
    ...each("mcphost_server_up", ({ isUp }) => Number(isUp)),
    ...head(
      "mcphost_server_starts_total",
      "counter",
      "Starts of servers, and connections to them.",
    ),
    ...each("mcphost_server_starts_total", ({ starts }) => starts),
    ...head(
      "mcphost_server_exits_total",
      "counter",
      "Ends of servers that were up, for any reason.",
    ),
    ...each("mcphost_server_exits_total", ({ exits }) => exits),
  ];
}

function queueLines(servers: readonly ServerStatus[]): string[] {
  return [
    ...head("mcphost_queue_calls", "gauge", "Calls that wait for their turn."),
    ...servers.map(({ name, queued = 0 }) => line("mcphost_queue_calls", { server: name }, queued)),
  ];
}

function gauge(name: string, help: string, value: number): string[] {
  return [...head(name, "gauge", help), line(name, {}, value)];
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function line(name: string, labels: Record<string, string>, value: number): string {
  const text = Object.entries(labels)
    .map(([key, label]) => `${key}="${escaped(label)}"`)
    .join(",");
  return `${name}${text === "" ? "" : `{${text}}`} ${value}`;
}

/** Names of tools are a server's own: whatever is in them, a line stays a line. */
function escaped(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
