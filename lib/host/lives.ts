/** How the lives of one server ended, what that means for its next start, and how it is said. Starts and stops nothing. */
import { HostError, isHostError } from "../base/errors.ts";
import type { McpClient } from "../client/types.ts";
import { lifeEnded, mayStart, unspoilt } from "../process/respawn.ts";
import type { RespawnVerdict } from "../process/respawn.ts";
import type { CloseInfo } from "../transport/transport.ts";
import type { HostedConfig } from "./server-types.ts";

/** One life, from its start to its end. */
export interface Life {
  /** On the clock of `performance.now`. */
  startedAt: number;
  /** Once it is connected. */
  client?: McpClient;
  /** It answered a call. */
  answered: boolean;
  /** It is being found out whether it is there at all. */
  isDoubted: boolean;
}

/** A verdict that is not "start". */
export type PutOff = Exclude<RespawnVerdict, { do: "start" }>;

export class Lives {
  readonly #server: string;
  readonly #restart: boolean;
  /** Only a process costs something to be started again and again. */
  readonly #counts: boolean;
  #past = unspoilt;

  constructor({ name, restart, kind }: HostedConfig) {
    this.#server = name;
    this.#restart = restart !== false;
    this.#counts = kind === "stdio";
  }

  /** Whether a start may be tried now. */
  next(): RespawnVerdict {
    if (this.#restart || this.#past === unspoilt) return mayStart(this.#past, performance.now());
    const reason = `restart is off, and it ended (${this.#past.ended})`;
    return { do: "refuse", reason, retryMs: Infinity };
  }

  ended({ startedAt, answered }: Life, ended: string): void {
    if (!this.#counts) return;
    const now = performance.now();
    this.#past = lifeEnded(this.#past, { uptimeMs: now - startedAt, answered, ended }, now);
  }

  /** Why nothing is started now; `last` is how it went the last time. */
  putOff(verdict: PutOff, last: HostError | undefined): HostError {
    const retryMs = Math.ceil(verdict.do === "wait" ? verdict.waitMs : verdict.retryMs);
    const reason =
      verdict.do === "wait" ? `it has just ended (${this.#past.ended})` : verdict.reason;
    const later = Number.isFinite(retryMs);
    return new HostError(
      "server_start",
      `server "${this.#server}" is not started again: ${reason}`,
      {
        facts: { ...last?.facts, server: this.#server, ...(later && { retryMs }) },
        hint: later
          ? `the next try is possible in ${Math.ceil(retryMs / 1000)} s`
          : "a new host starts it again",
        ...(last !== undefined && { cause: last }),
      },
    );
  }
}

/** Hands on what a life is to answer, and notes that it did. */
export async function firstAnswer<T>(life: Life, answer: Promise<T>): Promise<T> {
  try {
    const result = await answer;
    life.answered = true;
    return result;
  } catch (error) {
    // What is not ours is the server's own error, and so an answer.
    if (!isHostError(error)) life.answered = true;
    throw error;
  }
}

/** The end of a link in a few words: `exit code 1`, `SIGKILL`. */
export function endText({ kind, exitCode, signal, how }: CloseInfo): string {
  if (how !== undefined) return `it ${how}`;
  if (signal !== undefined) return signal;
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  return kind === "eof" ? "it closed its stdout" : "the link broke";
}

/** The error that an idle server which ended by itself is left with. */
export function endError(server: string, info: CloseInfo): HostError {
  const { exitCode, signal, httpStatus, stderr = [] } = info;
  return new HostError("server_exit", `server "${server}" ended by itself: ${endText(info)}`, {
    facts: {
      server,
      ...(httpStatus !== undefined && { httpStatus }),
      ...(exitCode !== undefined && { exitCode }),
      ...(signal !== undefined && { signal }),
      ...(stderr.length > 0 && { stderr }),
    },
  });
}

/** The error of whatever a server was to do when it was stopped for good. */
export function stoppedError(server: string, how = "was stopped"): HostError {
  return new HostError("cancelled", `server "${server}" ${how}`, { facts: { server } });
}
