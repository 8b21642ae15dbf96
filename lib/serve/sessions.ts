/**
 * Sessions of legacy HTTP clients: their ids, whose they are, how many there are and for how long. An id is no credential:
 * it opens nothing for another owner, nor at another address (protocol.md 2.4, 4).
 */
import { Chain } from "../base/chain.ts";
import type { Linked } from "../base/chain.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { logLevelDefault } from "./gateway-logs.ts";
import { messageText } from "./gateway-messages.ts";
import type { Questions } from "./gateway-questions.ts";
import { ReplayRoom, Replays } from "./gateway-replay.ts";
import { Running } from "./gateway-running.ts";
import type { Aside, Guest, Legacy, Scope } from "./gateway-types.ts";
import type { EventStream } from "./stream.ts";

export interface SessionsOptions {
  /** Sessions at a time; one more takes the place of the one that was quiet for longest. @default 1000 */
  sessionsMax?: number;
  /** A session that had no request under way and no stream for so long is ended. @default 1800000 */
  idleMs?: number;
  /** A clock in ms that only goes up: one that was set anew ends no session. */
  now: () => number;
}

/** One legacy client over HTTP. */
export class Session implements Legacy, Linked<Session> {
  before: Session | undefined;
  after: Session | undefined;
  readonly id = crypto.randomUUID();
  readonly scope: Scope;
  readonly knows: Knowledge;
  logLevel: McpLogLevel | undefined = logLevelDefault;
  readonly running = new Running();
  /** Where its streams may be taken up again. */
  readonly replays: Replays | undefined;
  /** What ends with it. */
  readonly belongings = new DisposableStack();
  readonly aside: Aside;
  guest: Guest | undefined;
  questions: Questions | undefined;
  usedAt = 0;
  /** Its GET stream. */
  #stream: EventStream | undefined;
  /** Changes that nobody heard of while there was no stream. */
  readonly #missed = new Set<string>();

  constructor(scope: Scope, knows: Knowledge, room: ReplayRoom) {
    this.scope = scope;
    this.knows = knows;
    this.replays = knows.priming ? new Replays(room) : undefined;
    this.aside = {
      notify: (method, params) => this.#notify(method, params),
      ask: (text) => this.#ask(text),
      subscriptions: new Map(),
      tasks: new Set(),
    };
  }

  get isQuiet(): boolean {
    return this.running.size === 0 && (this.#stream === undefined || this.#stream.closed);
  }

  /** Takes the place of a stream that it had: the client has lost it. */
  open(stream: EventStream): void {
    this.#stream?.end();
    this.#stream = stream;
    for (const method of this.#missed) this.#notify(method, {});
    this.#missed.clear();
    this.questions?.flush();
  }

  end(): void {
    this.running.end();
    this.#stream?.end();
    this.replays?.end();
    this.belongings.dispose();
  }

  #ask(data: string): boolean {
    if (this.#stream === undefined || this.#stream.closed) return false;
    this.#stream.send({ event: "message", data });
    return true;
  }

  #notify(method: string, params: Parameters<Aside["notify"]>[1]): void {
    const stream = this.#stream;
    if (stream !== undefined && !stream.closed && stream.waiting < waitingMax)
      stream.send({ event: "message", data: messageText({ method, params }) });
    else if (method.endsWith("/list_changed")) this.#missed.add(method);
  }
}

export class Sessions implements Disposable {
  readonly #sessionsMax: number;
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #byId = new Map<string, Session>();
  /** The one that was quiet for longest first. */
  readonly #all = new Chain<Session>();
  readonly #room = new ReplayRoom();
  #looking: Timer | undefined;

  constructor({ sessionsMax = 1000, idleMs = 1_800_000, now }: SessionsOptions) {
    this.#sessionsMax = sessionsMax;
    this.#idleMs = idleMs;
    this.#now = now;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Undefined where there are too many, and all at work. */
  create(scope: Scope, knows: Knowledge): Session | undefined {
    if (this.#byId.size >= this.#sessionsMax) {
      const quiet = this.quiet();
      if (quiet === undefined) return undefined;
      this.end(quiet);
    }
    const session = new Session(scope, knows, this.#room);
    this.#byId.set(session.id, session);
    this.#touch(session);
    this.#looking ??= setInterval(() => this.#look(), this.#idleMs / looksOfIdle).unref();
    return session;
  }

  /** Undefined for an id that is not known, not this owner's, or not of this address. */
  find(id: string, { owner, server }: Scope): Session | undefined {
    const session = this.#byId.get(id);
    if (session === undefined) return undefined;
    if (session.scope.owner !== owner || session.scope.server !== server) return undefined;
    if (this.#isOver(session)) return void this.end(session);
    this.#touch(session);
    return session;
  }

  /** Of those that `where` means, the one that is quiet for longest; one that asks for its tasks now and then is not. */
  quiet(where: (session: Session) => boolean = () => true): Session | undefined {
    const since = this.#now() - askingMs;
    const isAsking = ({ aside, usedAt }: Session) => aside.tasks.size > 0 && usedAt > since;
    return this.#all
      .all()
      .find((session) => session.isQuiet && !isAsking(session) && where(session));
  }

  end(session: Session): void {
    this.#byId.delete(session.id);
    this.#all.delete(session);
    session.end();
  }

  [Symbol.dispose](): void {
    for (const session of this.#all.all()) this.end(session);
    this.#look();
  }

  // --- internal ---

  #touch(session: Session): void {
    session.usedAt = this.#now();
    this.#all.delete(session);
    this.#all.add(session);
  }

  #isOver(session: Session): boolean {
    return session.isQuiet && this.#now() - session.usedAt >= this.#idleMs;
  }

  /** Servers of a client's own end with it, though nobody ever asks again. What is at work is in use until it is quiet. */
  #look(): void {
    for (const session of this.#all.all()) {
      if (!session.isQuiet) this.#touch(session);
      else if (this.#isOver(session)) this.end(session);
    }
    if (this.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

// --- internal ---

/** As long as a client that waits for a task lets pass until it asks again, and more. */
const askingMs = 60_000;

/** How often sessions are looked at within their idle time. */
const looksOfIdle = 30;

/** Characters that a client may leave untaken; what is told besides is lost. */
const waitingMax = 4_194_304;
