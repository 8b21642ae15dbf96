/**
 * The reading half of a child's transport: chunks in, messages out; noise and what is odd goes to the log. A plain
 * iterator, since a generator costs several turns of the microtask queue for each message.
 */
import { settlesWithin } from "../base/async.ts";
import type { Feed, Take } from "../base/channel.ts";
import type { Log } from "../base/log.ts";
import { Characters } from "./encoding.ts";
import type { Framed, Noise } from "./framed.ts";
import { Framing } from "./framing.ts";
import type { CloseInfo, Incoming } from "./transport.ts";

export interface StdioReaderOptions {
  /** The server's configured name, for the log. */
  name: string;
  log: Log;
  lineBytesMax: number;
  /** Called once, when everything was taken; with what broke the pipe, if something did. */
  onEnd: (failure: unknown) => void;
}

export class StdioReader implements AsyncIterableIterator<Incoming>, Feed<Incoming> {
  readonly #chunks: AsyncIterator<Uint8Array, undefined>;
  readonly #options: StdioReaderOptions;
  readonly #framing: Framing;
  readonly #characters = new Characters();
  readonly #noise = { count: 0, first: [] as string[], contentLength: false };
  /** How many messages came. */
  heard = 0;
  /** The messages of the last chunk. */
  #ready: Incoming[] = [];
  /** How many of them were taken. */
  #taken = 0;
  #state: "new" | "open" | "over" | "told" = "new";
  /** What broke the pipe. */
  #failure: unknown;
  /** A chunk that was asked for and has not come. */
  #coming: Promise<Chunk> | undefined;
  /** A newline was missing behind a message. */
  #forgets = false;
  /** Characters are lost, and that was told. */
  hasLost = false;

  constructor(stdout: AsyncIterable<Uint8Array>, options: StdioReaderOptions) {
    this.#chunks = stdout[Symbol.asyncIterator]();
    this.#options = options;
    this.#framing = new Framing({ lineBytesMax: options.lineBytesMax });
  }

  /** Nobody has begun to read. */
  get isNew(): boolean {
    return this.#state === "new";
  }

  get noise(): NonNullable<CloseInfo["noise"]> {
    const { count, first, contentLength } = this.#noise;
    return { count: count + this.#framing.heldLines, first: [...first], contentLength };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Incoming>> {
    this.#begin();
    while (this.#taken === this.#ready.length && this.#state === "open") {
      try {
        this.#feed(await this.#chunk());
      } catch (error) {
        this.#broke(error);
      }
    }
    const item = this.#ready[this.#taken++];
    if (item !== undefined) return { done: false, value: item };
    this.#end();
    return { done: true, value: undefined };
  }

  async each(take: Take<Incoming>): Promise<void> {
    this.#begin();
    try {
      while (this.#state === "open") {
        try {
          this.#feed(await this.#chunk());
        } catch (error) {
          this.#broke(error);
        }
        for (const item of this.#ready) {
          const pause = take(item);
          if (pause !== undefined) await pause;
        }
      }
    } finally {
      await this.return();
    }
  }

  /** The consumer leaves. */
  async return(): Promise<IteratorResult<Incoming>> {
    this.#ready = [];
    await this.#chunks.return?.();
    this.#end();
    return { done: true, value: undefined };
  }

  #begin(): void {
    if (this.#state === "new") this.#state = "open";
  }

  /** The next chunk; undefined where none came for a while, although only a newline was missing. */
  #chunk(): Promise<Chunk | undefined> {
    const chunk = this.#coming ?? this.#chunks.next();
    this.#coming = this.#framing.mayBeWhole ? chunk : undefined;
    return this.#coming === undefined ? chunk : this.#unended(chunk);
  }

  /** Who once forgot a newline is not waited for again. */
  async #unended(chunk: Promise<Chunk>): Promise<Chunk | undefined> {
    if (!(await settlesWithin(chunk, this.#forgets ? 0 : newlineMs))) return undefined;
    this.#coming = undefined;
    return chunk;
  }

  #feed(chunk: Chunk | undefined): void {
    if (chunk?.done === true) this.#state = "over";
    this.#sift(chunk === undefined ? this.#early() : this.#framed(chunk));
  }

  #framed({ value, done }: Chunk): Framed[] {
    if (done === true) return this.#framing.end();
    const all = this.#framing.feed(value);
    if (this.hasLost || !this.#characters.lostIn(all, value)) return all;
    this.hasLost = true;
    this.#say("warn", "what it writes is not UTF-8: characters are lost (Python: PYTHONUTF8=1)");
    return all;
  }

  #early(): Framed[] {
    const taken = this.#framing.early();
    if (taken.length > 0 && !this.#forgets)
      this.#say("debug", "it writes no newline behind a message");
    this.#forgets ||= taken.length > 0;
    return taken;
  }

  #broke(error: unknown): void {
    this.#failure = error;
    this.#state = "over";
    this.#sift([]);
  }

  #end(): void {
    if (this.#state === "told") return;
    this.#state = "told";
    const { count, first } = this.#noise;
    if (count > first.length) this.#say("debug", `${count} lines on its stdout were no messages`);
    this.#options.onEnd(this.#failure);
  }

  /** Keeps the messages, most often all that there is; what is odd about them, and noise, is logged. */
  #sift(all: Framed[]): void {
    let hasNoise = false;
    for (const framed of all) {
      if ("odd" in framed) this.#say("debug", `a message with ${framed.odd}`);
      if (isMessage(framed)) continue;
      hasNoise = true;
      this.#heard(framed);
    }
    this.#ready = hasNoise ? all.filter(isMessage) : (all as Incoming[]);
    this.heard += this.#ready.length;
    this.#taken = 0;
  }

  #heard({ noise, reason, lines, contentLength }: Noise): void {
    const all = this.#noise;
    all.count += lines;
    if (contentLength) all.contentLength = true;
    if (all.first.length === noiseShown) return;
    all.first.push(noise);
    const more = all.first.length === noiseShown ? " (more of this kind is only counted)" : "";
    this.#say("warn", `it wrote on stdout what is no message (${reason})${more}: ${noise}`);
  }

  #say(level: "debug" | "warn", text: string): void {
    const { name, log } = this.#options;
    log({ level, server: name, text });
  }
}

// --- internal ---

type Chunk = IteratorResult<Uint8Array, undefined>;

const noiseShown = 3;
/** How long nothing may come before a message without a newline is taken as it is. */
const newlineMs = 100;

function isMessage(framed: Framed): framed is Exclude<Framed, Noise> {
  return !("noise" in framed);
}
