/** Tracing of `serve`, where the environment asks for it: which host traces its calls, and where their spans go. */
import { version } from "../../package.json";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { otlpSettings } from "./otlp-settings.ts";
import { SpanExporter } from "./otlp.ts";
import { traced } from "./spans.ts";

export interface Tracing extends AsyncDisposable {
  /** What is secret of where spans go. */
  readonly secrets: readonly string[];
  /** The same host with its calls traced. */
  over(host: OpenedHost): OpenedHost;
}

/** Undefined where no spans are wanted, or, which is warned of, nobody can tell where to. Disposing sends what is left. */
export function openTracing(
  env: Record<string, string | undefined>,
  { log, redact }: { log: Log; redact: (text: string) => string },
): Tracing | undefined {
  const settings = otlpSettings(env);
  if (settings === undefined) return undefined;
  if ("problem" in settings) {
    log({ level: "warn", text: `no spans are exported: ${settings.problem}` });
    return undefined;
  }
  const exporter = new SpanExporter({ ...settings, version, log });
  return {
    secrets: Object.values(settings.headers),
    over: (host) => traced(host, { record: (span) => exporter.add(span), redact }),
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  };
}
