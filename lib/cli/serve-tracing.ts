/** Spans of the calls of `serve`, where our environment asks for them. Nothing of it is loaded where it does not. */
import type { Log } from "../base/log.ts";
import type { Tracing } from "../serve/tracing.ts";
import type { Io } from "./types.ts";

/** Undefined where no spans are wanted. Disposing sends what is left. */
export async function tracingOf(
  { env, secrets }: Pick<Io, "env" | "secrets">,
  log: Log,
): Promise<Tracing | undefined> {
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return undefined;
  const { openTracing } = await import("../serve/tracing.ts");
  const redact = (text: string) => secrets?.hide(text) ?? text;
  const tracing = openTracing(env, { log, redact });
  secrets?.later(() => tracing?.secrets ?? []);
  return tracing;
}
