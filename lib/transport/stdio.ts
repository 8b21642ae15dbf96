/**
 * The transport of MCP servers that are child processes: one JSON message a line on stdin and stdout (protocol.md 1.8).
 * The child's life is lib/process's; what its bytes mean is framing's.
 */
import { settlesWithin } from "../base/async.ts";
import type { Feed } from "../base/channel.ts";
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Child } from "../process/child.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { StdioReader } from "./stdio-reader.ts";
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

class StdioTransport implements Transport {
  readonly closed: Promise<CloseInfo>;
  readonly #child: Child;
  readonly #name: string;
  readonly #reader: StdioReader;
  readonly #ending = Promise.withResolvers<CloseInfo>();
  #isClosed = false;
  /** The last write that is, or was, on its way. */
  #sending: Promise<void> | undefined;
  /** What a write failed with while the child lived. */
  #lost: HostError | undefined;

  /** A link that takes nothing is none, though its server lives on: it is stopped, and heard until it has ended. */
  readonly #lose = (error: HostError): void => {
    const { exitCode, signal } = error.facts;
    if (this.#child.isLetGo || exitCode !== undefined || signal !== undefined) return;
    this.#lost = error;
    void this.#child.stop();
  };

  constructor(child: Child, { name, log, lineBytesMax = 67_108_864 }: StdioOptions) {
    this.#child = child;
    this.#name = name;
    this.closed = this.#ending.promise;
    const onEnd = (failure: unknown) => void this.#end(failure);
    this.#reader = new StdioReader(child.stdout, { name, log, lineBytesMax, onEnd });
  }

  get incoming(): Feed<Incoming> {
    return this.#reader;
  }

  get heard(): number {
    return this.#reader.heard;
  }

  send(message: Message): Promise<void> | undefined {
    if (!this.#isClosed) {
      const sent = this.#child.write(JSON.stringify(message));
      // One for all lines that go together.
      if (sent !== undefined && sent !== this.#sending) sent.catch(this.#lose);
      return (this.#sending = sent);
    }
    const text = `the link to server "${this.#name}" is closed`;
    return Promise.reject(new HostError("server_exit", text, { facts: { server: this.#name } }));
  }

  facts(): Pick<CloseInfo, "stderr" | "noise" | "lostCharacters"> {
    const { noise, hasLost } = this.#reader;
    return { stderr: this.#child.stderrTail(), noise, ...(hasLost && { lostCharacters: true }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    // Without a reader nobody would see the end.
    if (this.#reader.isNew) void this.#end(undefined);
    await this.closed;
  }

  async #end(failure: unknown): Promise<void> {
    this.#isClosed = true;
    if (this.#lost !== undefined) {
      const how = "takes no more input";
      return this.#ending.resolve({ kind: "error", how, ...this.facts(), error: this.#lost });
    }
    if (this.#child.isLetGo) return this.#ending.resolve({ kind: "local", ...this.facts() });
    const { exited } = this.#child;
    const exit = (await settlesWithin(exited, exitMs)) ? await exited : undefined;
    const { exitCode, signal, leaves } = exit ?? {};
    this.#ending.resolve({
      kind: exit ? "exit" : failure === undefined ? "eof" : "error",
      ...this.facts(),
      ...(typeof exitCode === "number" && { exitCode }),
      ...(typeof signal === "string" && { signal }),
      ...(leaves && { leaves }),
      ...(failure !== undefined && { error: failure }),
    });
  }
}
