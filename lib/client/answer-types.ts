/** The types of answering a server that asks back: what it asks goes to a function of the host's user, by kind. */
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Capabilities } from "../protocol/mcp.ts";

/** What goes with a question of a server besides its params. */
export interface Asked {
  /** The configured name of the server that asks. */
  server: string;
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Why the answer before did not do, a line each; absent where this is asked for the first time. */
  faults?: readonly string[];
  /**
   * Of a URL that must be visited before a request can be sent again (-32042): resolves when the server tells that it was.
   * Never, if it does not tell.
   */
  completed?: Promise<void>;
}

/** Gets the params of a request, and returns the protocol's own result. What it throws is the error that the server gets. */
export type Answerer = (params: JsonObject, asked: Asked) => Promise<JsonObject>;

/** What answers a server that asks. A capability is declared only if its function is there. */
export interface Answers {
  /** MCP Root objects `{ uri, name? }`, for the server of that name. */
  roots?: (server: string) => Promise<JsonObject[]>;
  /**
   * Forms: `{ action, content? }`. Defaults are filled in (with `done: true` not: what is missing was left out on
   * purpose), and what does not fit the form is not sent: it is asked for again with the faults, and then declined.
   */
  elicit?: Answerer;
  /**
   * URLs to visit (https, or http on loopback; others never come here): `{ action }`; accept means agreed to open. With
   * `done: true` it was visited already, and `completed` is not waited for; that is never sent.
   */
  elicitUrl?: Answerer;
  /** The message of a model; undefined refuses. */
  sample?: (params: JsonObject, asked: Asked) => Promise<JsonObject | undefined>;
  /** `sample` takes requests with tools. @default false */
  sampleTools?: boolean;
  /** Somebody behind us answers everything; the functions above are then not asked. */
  relay?: Relay;
}

/**
 * Who answers behind us: what a server asks goes on to them as it came, and their answer back as it is. Nothing of either is
 * filled in, checked or asked again.
 */
export interface Relay {
  /** What they declare: `sampling`, `elicitation`, `roots`, in the words of any revision. */
  capabilities: Capabilities;
  /** URLs that must be visited first (-32042) are asked for here, too. @default false: the error is theirs */
  consents?: boolean;
  /** Their result. What is thrown is the error that the server gets. */
  ask(method: string, params: JsonObject, asked: Asked): Promise<JsonObject>;
}

/** What answering takes. */
export interface AnswerOptions {
  /** The configured name of the server that asks. */
  name: string;
  answers: Answers;
  log: Log;
  /** Nobody waits for the answer any more. */
  signal: AbortSignal;
}
