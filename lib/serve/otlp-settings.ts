/**
 * What the environment says of where spans go (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Pure. What it
 * says of headers is secret.
 */
import { decoded } from "../base/uri.ts";

export interface OtlpSettings {
  /** Where spans are posted, whole. */
  url: string;
  headers: Record<string, string>;
  /** What this process is called there. @default "mcphost" */
  serviceName: string;
}

/** `undefined`: no spans are wanted. `problem`: they are, but it does not say where to so that it could be done. */
export function otlpSettings(
  env: Record<string, string | undefined>,
): OtlpSettings | { problem: string } | undefined {
  const own = given(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const common = given(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  const isOff = given(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  if (isOff || (own ?? common) === undefined) return undefined;
  const protocol =
    given(env, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? given(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === "grpc")
    return { problem: "OTEL_EXPORTER_OTLP_PROTOCOL says grpc, and spans are sent over HTTP alone" };
  const name =
    own === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const url = URL.parse(own ?? `${common?.replace(/\/+$/, "")}/v1/traces`);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: `${name} is no URL of http or https` };
  const headers =
    given(env, "OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? given(env, "OTEL_EXPORTER_OTLP_HEADERS");
  const pairs = headers === undefined ? {} : headersIn(headers);
  if (pairs === undefined)
    return { problem: "OTEL_EXPORTER_OTLP_HEADERS is no list of NAME=VALUE with a comma between" };
  const serviceName = given(env, "OTEL_SERVICE_NAME") ?? "mcphost";
  return { url: url.href, headers: pairs, serviceName };
}

// --- internal ---

/** An empty value counts as none. */
function given(env: Record<string, string | undefined>, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

/** `a=b,c=d`, each percent-encoded. */
function headersIn(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = Object.create(null);
  for (const pair of text.split(",")) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    const value = decoded(pair.slice(at + 1).trim());
    const isGood = at > 0 && /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[\t -~]*$/.test(value ?? "\0");
    if (!isGood || value === undefined) return undefined;
    headers[name] = value;
  }
  return { ...headers };
}
