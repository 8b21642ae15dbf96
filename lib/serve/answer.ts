/**
 * Routes folded with the guard into handlers of `Bun.serve`: every request passes here, and whatever goes wrong becomes an
 * answer here. It knows no face.
 */
import { isHostError } from "../base/errors.ts";
import { debug, type Log } from "../base/log.ts";
import { type ExchangeWorld, Incoming } from "./exchange.ts";
import type { Guard } from "./guard.ts";
import { errorResponse, HttpError, isHttpError } from "./http-error.ts";
import type { Handlers } from "./listen.ts";
import type { Running } from "./running.ts";
import type { Caller, Route, ServeContext } from "./types.ts";

/** What every answer needs. */
export interface Answering {
  guard: Guard;
  context: Pick<ServeContext, "log" | "redact" | "stopping">;
  running: Running;
  /** Its server is there once it listens. */
  world: ExchangeWorld;
}

/** One handler for each path, and one for all others. @throws Error where two faces want the same */
export function handlersOf(
  routes: readonly Route[],
  answering: Answering,
): Pick<Handlers, "routes" | "fetch" | "error"> {
  const paths = Array.from(methodsByPath(routes), ([path, methods]) => [
    path,
    (request: Bun.BunRequest) => answer(request, methods, answering),
  ]);
  // Many write a slash behind an address, and a redirect loses what is posted.
  const slashed = paths
    .filter(([path]) => path !== "/")
    .map(([path, handle]) => [`${path}/`, handle]);
  return {
    routes: Object.fromEntries([...paths, ...slashed]),
    fetch: (request: Request) => answer(request as Bun.BunRequest, undefined, answering),
    // Only what is thrown outside of our own answers comes here: nothing of it is told.
    error: (error: Error) => errorResponse(error, answering.context.redact),
  };
}

// --- internal ---

type Methods = Readonly<Record<string, Route | undefined>>;

function methodsByPath(routes: readonly Route[]): Map<string, Methods> {
  const table = new Map<string, Record<string, Route>>();
  for (const route of routes) {
    const methods = table.get(route.path) ?? (Object.create(null) as Record<string, Route>);
    if (methods[route.method] !== undefined)
      throw new Error(`two faces answer ${route.method} ${route.path}`);
    methods[route.method] = route;
    table.set(route.path, methods);
  }
  return table;
}

/** Every request comes by here. */
function answer(
  request: Bun.BunRequest,
  methods: Methods | undefined,
  answering: Answering,
): Response | Promise<Response> {
  const { guard, context } = answering;
  try {
    if (context.stopping.aborted) throw stoppingNow();
    if (request.method === "OPTIONS") return guard.preflight(request, allowed(methods));
    if (methods === undefined && isWellKnown(request)) {
      guard.check(request);
      throw notFound(request);
    }
    const route = methods?.[request.method === "HEAD" ? "GET" : request.method];
    const caller = guard.admit(request, route);
    if (route === undefined) throw methods === undefined ? notFound(request) : notHere(methods);
    return new Admitted(request, caller, route, answering).answer();
  } catch (error) {
    return guard.dress(request, refused(error, request, answering));
  }
}

/** A request that was let in, until its answer is given. */
class Admitted extends Incoming {
  readonly #route: Route;
  readonly #answering: Answering;
  #later: Promise<Response> | undefined;
  #resolve!: (response: Response) => void;

  constructor(request: Bun.BunRequest, caller: Caller, route: Route, answering: Answering) {
    super(request, caller, answering.world);
    this.#route = route;
    this.#answering = answering;
    answering.running.begin();
  }

  answer(): Response | Promise<Response> {
    try {
      const given = this.#route.handle(this);
      if (!(given instanceof Promise)) return this.#over(given);
      return given === this.#later ? this.#later : this.#made(given);
    } catch (error) {
      return this.#refused(error);
    }
  }

  later(): Promise<Response> {
    // A fraction of what `Promise.withResolvers` costs.
    return (this.#later ??= new Promise((resolve) => (this.#resolve = resolve)));
  }

  respond(response: Response | Promise<Response>): void {
    if (response instanceof Promise) this.#respondLater(response);
    else if (!this.isAnswered) this.#give(this.#over(response));
  }

  fail(error: unknown): void {
    if (!this.isAnswered) this.#give(this.#refused(error));
  }

  // --- internal ---

  #respondLater(response: Promise<Response>): void {
    response.then(
      (made) => this.respond(made),
      (error: unknown) => this.fail(error),
    );
  }

  #give(response: Response): void {
    void this.later();
    this.#resolve(response);
  }

  async #made(given: Promise<Response | undefined>): Promise<Response> {
    try {
      return this.#over(await given);
    } catch (error) {
      return this.#refused(error);
    }
  }

  #refused(error: unknown): Response {
    return this.#over(refused(error, this.request, this.#answering));
  }

  /** Without a response it became a WebSocket; Bun takes undefined for an answer then alone. */
  #over(response: Response | undefined): Response {
    const { guard, running } = this.#answering;
    this.answered();
    running.end();
    return response === undefined
      ? (undefined as unknown as Response)
      : guard.dress(this.request, response);
  }
}

function refused(error: unknown, request: Request, { context }: Answering): Response {
  if (!isHttpError(error)) logFailure(error, request, context.log);
  return errorResponse(error, context.redact);
}

function allowed(methods: Methods | undefined): string[] {
  const names = Object.keys(methods ?? {});
  return [...names, ...(names.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

function notFound(request: Request): HttpError {
  const path = URL.parse(request.url)?.pathname ?? "";
  return new HttpError(404, "not_found", `nothing is at ${path.slice(0, 200)}`, {
    hint: "GET / lists what there is",
  });
}

/** Where clients look for a way to sign in (RFC 9728): that there is none must not need a token. */
function isWellKnown({ url }: Request): boolean {
  return url.includes("/.well-known/");
}

function notHere(methods: Methods): HttpError {
  const allow = allowed(methods).join(", ");
  return new HttpError(405, "method_not_allowed", `this takes ${allow}`, { headers: { allow } });
}

function stoppingNow(): HttpError {
  return new HttpError(503, "stopping", "mcphost serve is stopping", {
    headers: { connection: "close", "retry-after": "1" },
  });
}

function logFailure(error: unknown, request: Request, log: Log): void {
  const path = URL.parse(request.url)?.pathname ?? request.url;
  const text = error instanceof Error ? error.message : String(error);
  // The client is told of ours; of what is no error of ours, only we are.
  if (isHostError(error)) debug(log, undefined, () => `${request.method} ${path}: ${text}`);
  else log({ level: "warn", text: `${request.method} ${path}: ${text}` });
}
