/**
 * Sends spans to a collector as OTLP over HTTP, in batches, behind everybody's back: nobody waits for it, what it cannot
 * send for long is dropped and counted, and what goes wrong is said once, without the collector's headers.
 */
import { settlesWithin } from "../base/async.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { exportText } from "./otlp-json.ts";
import type { Span } from "./otlp-json.ts";
import type { OtlpSettings } from "./otlp-settings.ts";

export interface SpanExporterOptions extends OtlpSettings {
  /** Our own. */
  version: string;
  log: Log;
  /** The longest that a span waits while the collector takes them. @default 2000 */
  everyMs?: number;
  /** Spans of one request; as many waiting are sent at once. @default 512 */
  batchMax?: number;
  /** Spans that wait; more are dropped. @default 2048 */
  queueMax?: number;
  /** For one request. @default 10000 */
  timeoutMs?: number;
  /** For all that is left in the end. @default 2000 */
  endMs?: number;
}

export class SpanExporter implements AsyncDisposable {
  readonly #options: SpanExporterOptions;
  readonly #ending = new AbortController();
  #queue: Span[] = [];
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #hasFailed = false;
  #dropped = 0;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  /** Spans that nobody will ever see. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes no time. */
  add(span: Span): void {
    const { batchMax = 512, queueMax = 2048 } = this.#options;
    if (this.#queue.length >= queueMax || this.#ending.signal.aborted) return void this.#dropped++;
    this.#queue.push(span);
    // While it fails, or sends, the next time comes by itself.
    if (this.#queue.length >= batchMax && !this.#hasFailed) this.#send();
    else this.#sendLater();
  }

  /** Sends what is left, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { endMs = 2000, log } = this.#options;
    const flushed = this.#flush();
    await settlesWithin(flushed, endMs);
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#dropped += this.#queue.length;
    this.#queue = [];
    if (this.#dropped > 0) log({ level: "warn", text: `${this.#dropped} spans were not exported` });
  }

  // --- internal ---

  #sendLater(): void {
    if (this.#sending !== undefined || this.#ending.signal.aborted) return;
    const { everyMs = 2000 } = this.#options;
    this.#timer ??= setTimeout(() => this.#send(), everyMs).unref();
  }

  #send(): void {
    if (this.#sending !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { batchMax = 512 } = this.#options;
    const work = async () => {
      do await this.#sendBatch();
      while (!this.#hasFailed && this.#queue.length >= batchMax);
    };
    this.#sending = work().finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0) this.#sendLater();
    });
  }

  /** All that waits, as long as it is taken. */
  async #flush(): Promise<void> {
    await this.#sending;
    do await this.#sendBatch();
    while (!this.#hasFailed && this.#queue.length > 0);
  }

  async #sendBatch(): Promise<void> {
    const { batchMax = 512, serviceName, version } = this.#options;
    const batch = this.#queue.slice(0, batchMax);
    if (batch.length === 0) return;
    const verdict = await this.#post(exportText(batch, { serviceName, version }));
    this.#hasFailed = verdict !== "taken";
    // What was not taken is kept for the next time, as long as that may help.
    if (verdict !== "later") this.#queue.splice(0, batch.length);
    if (verdict === "refused") this.#dropped += batch.length;
  }

  async #post(body: string): Promise<"taken" | "refused" | "later"> {
    const { url, headers, timeoutMs = 10_000 } = this.#options;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#ending.signal]);
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        // Our headers are for nobody else.
        redirect: "manual",
        signal,
      });
      if (answer.ok) {
        await this.#readPartial(answer);
        return "taken";
      }
      await answer.body?.cancel();
      this.#fail(`HTTP ${answer.status}`);
      return retryable.has(answer.status) ? "later" : "refused";
    } catch (error) {
      this.#fail(reasonOf(error));
      return "later";
    }
  }

  /** A collector may take only some. */
  async #readPartial(answer: Response): Promise<void> {
    const bytes = Number(answer.headers.get("content-length") ?? "0");
    if (bytes === 0 || bytes > partialBytesMax) return void (await answer.body?.cancel());
    const told = parsed(await answer.text());
    const partial = isObject(told) ? told.partialSuccess : undefined;
    const rejected = isObject(partial) ? Number(partial.rejectedSpans ?? 0) : 0;
    if (!(rejected > 0)) return;
    this.#dropped += rejected;
    this.#say(`the collector rejected ${rejected} spans`);
  }

  #fail(reason: string): void {
    const { host } = new URL(this.#options.url);
    this.#say(`spans could not be exported to ${host}: ${reason}`, this.#hasFailed);
  }

  #isSaid = false;

  /** Once as a warning. */
  #say(text: string, isOld = false): void {
    const level = this.#isSaid || isOld ? "debug" : "warn";
    this.#isSaid = true;
    this.#options.log({ level, text });
  }
}

// --- internal ---

/** Statuses after which the same may be sent again (OTLP/HTTP, failures). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const partialBytesMax = 65_536;

/** Without the words of the error, which may hold the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it failed";
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error.name;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
