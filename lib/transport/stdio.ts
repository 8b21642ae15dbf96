/**
 * The transport of MCP servers that are child processes: one JSON message a line on stdin and stdout (protocol.md 1.8).
 * It knows how messages are framed; the child's life is lib/process's.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Child } from "../process/child.ts";
import { Framing } from "./framing.ts";
import type { Framed, Noise } from "./framing.ts";
import type { CloseInfo, Incoming, Transport } from "./transport.ts";

export interface StdioOptions {
  /** The server's configured name, for messages and logs. */
  name: string;
  log: Log;
  /** The longest message. @default 67108864 */
  lineBytesMax?: number;
}

/** Takes over a child: disposing stops it. */
export function openStdio(child: Child, options: StdioOptions): Transport {
  return new StdioTransport(child, options);
}

// --- internal ---

/** How long after the end of stdout we wait for the end of the process, to tell the two apart. */
const exitMs = 500;
const noiseShown = 3;

class StdioTransport implements Transport {
  readonly incoming: AsyncIterable<Incoming>;
  readonly closed: Promise<CloseInfo>;
  readonly #child: Child;
  readonly #options: StdioOptions;
  readonly #framing: Framing;
  readonly #ending = Promise.withResolvers<CloseInfo>();
  #isRead = false;
  #isClosed = false;
  #isLocal = false;
  #noise = { count: 0, first: [] as string[], contentLength: false };

  constructor(child: Child, options: StdioOptions) {
    this.#child = child;
    this.#options = options;
    this.#framing = new Framing({ lineBytesMax: options.lineBytesMax ?? 67_108_864 });
    this.closed = this.#ending.promise;
    this.incoming = this.#read();
  }

  async send(message: object): Promise<void> {
    const { name } = this.#options;
    if (this.#isClosed)
      throw new HostError("server_exit", `the link to server "${name}" is closed`, {
        facts: { server: name },
      });
    await this.#child.write(JSON.stringify(message));
  }

  facts(): Pick<CloseInfo, "stderr" | "noise"> {
    const { count, ...noise } = this.#noise;
    return {
      stderr: this.#child.stderrTail(),
      noise: { count: count + this.#framing.heldLines, ...noise },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLocal = true;
    await this.#child[Symbol.asyncDispose]();
    // Without a reader nobody would see the end.
    if (!this.#isRead) this.#ending.resolve({ kind: "local", ...this.facts() });
    await this.closed;
  }

  async *#read(): AsyncGenerator<Incoming> {
    this.#isRead = true;
    let failure: unknown;
    try {
      for await (const chunk of this.#child.stdout) yield* this.#sift(this.#framing.feed(chunk));
      yield* this.#sift(this.#framing.end());
    } catch (error) {
      failure = error;
    } finally {
      this.#isClosed = true;
      this.#ending.resolve(await this.#closeInfo(failure));
    }
  }

  /** Messages go on; what is odd about them, and noise, is logged. */
  *#sift(all: Framed[]): Generator<Incoming> {
    for (const framed of all) {
      if ("noise" in framed) this.#heard(framed);
      else {
        if ("odd" in framed) this.#say("debug", `a message with ${framed.odd}`);
        yield framed;
      }
    }
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

  async #closeInfo(failure: unknown): Promise<CloseInfo> {
    if (this.#noise.count > noiseShown)
      this.#say("debug", `${this.#noise.count} lines on its stdout were no messages`);
    if (this.#isLocal) return { kind: "local", ...this.facts() };
    const exit = await Promise.race([this.#child.exited, Bun.sleep(exitMs)]);
    const { exitCode, signal } = exit ?? {};
    return {
      kind: exit ? "exit" : failure === undefined ? "eof" : "error",
      ...this.facts(),
      ...(typeof exitCode === "number" && { exitCode }),
      ...(typeof signal === "string" && { signal }),
      ...(failure !== undefined && { error: failure }),
    };
  }

  #say(level: "debug" | "warn", text: string): void {
    const { name, log } = this.#options;
    log({ level, server: name, text });
  }
}
