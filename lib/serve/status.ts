/** The state of servers as clients may see it: `/health`, `/servers`. It starts nothing and asks nobody. */
import { nearest } from "../base/nearest.ts";
import type { ServerStatus } from "../host/types.ts";
import { errorBody, HttpError } from "./http-error.ts";
import type { Route, ServeContext } from "./types.ts";

/** `/health`, answered to everybody; who sent no token where one is asked for hears of no server. */
export function healthRoutes({ host, discovery, stopping, redact }: ServeContext): Route[] {
  return [
    {
      method: "GET",
      path: "/health",
      open: true,
      handle({ url, caller }) {
        const isReady = discovery.isReady && !stopping.aborted;
        const asksReady = url.searchParams.has("ready");
        const body = {
          status: asksReady && !isReady ? "starting" : "ok",
          ready: isReady,
          ...(caller.isStranger !== true && { servers: host.servers().map(shownStatus) }),
        };
        return shown(body, redact, {
          status: asksReady && !isReady ? 503 : 200,
          headers: {
            ...(asksReady && !isReady && { "retry-after": "1" }),
          },
        });
      },
    },
  ];
}

/** `GET /servers`, `GET /servers/NAME`. */
export function serversRoutes({ host, redact }: ServeContext): Route[] {
  return [
    { method: "GET", path: "/servers", handle: () => shown(host.servers().map(whole), redact) },
    {
      method: "GET",
      path: "/servers/:name",
      handle({ params }) {
        const statuses = host.servers();
        const found = statuses.find(({ name }) => name === params["name"]);
        if (found === undefined)
          throw unknownServer(
            params["name"] ?? "",
            statuses.map(({ name }) => name),
          );
        return shown(whole(found), redact);
      },
    },
  ];
}

// --- internal ---

function shown(value: object, redact: ServeContext["redact"], init: ResponseInit = {}): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(redact(JSON.stringify(value)), {
    ...init,
    headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
  });
}

/** What a probe or a person wants to see at once. */
function shownStatus({ name, state, era, revision, tools, error }: ServerStatus): object {
  return {
    name,
    state,
    ...(era !== undefined && { era, revision }),
    ...(tools !== undefined && { tools }),
    ...(error !== undefined && { error: errorBody(error) }),
  };
}

function whole(status: ServerStatus): object {
  const { serverInfo, instructions } = status;
  return {
    ...shownStatus(status),
    ...(serverInfo !== undefined && { serverInfo }),
    ...(instructions !== undefined && { instructions }),
  };
}

function unknownServer(name: string, known: readonly string[]): HttpError {
  const near = nearest(name, known);
  return new HttpError(
    404,
    "not_found",
    `no server is called ${JSON.stringify(name.slice(0, 100))}`,
    {
      facts: { nearest: near },
    },
  );
}
