/** The environment that says where spans go, and a `serve` that is told so. */
import { describe, expect, test } from "bun:test";

import type { LogEntry } from "../../lib/base/log.ts";
import { otlpSettings } from "../../lib/serve/otlp-settings.ts";
import { openTracing } from "../../lib/serve/tracing.ts";
import { sourceProgram, tempDir } from "../harness.ts";
import { collector, program } from "./otlp-kit.ts";
import { jsonOf } from "./rest-kit.ts";

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
