/** The state of servers as clients may see it: `/health`, `/servers`. It starts nothing and asks nobody. */
import { didYouMean, nearest } from "../base/nearest.ts";
import type { BadServer } from "../config/types.ts";
import type { ServerStatus } from "../host/types.ts";
import { errorBody, HttpError, withoutPaths } from "./http-error.ts";
import type { ServedConfig } from "./servers-config.ts";
import type { Caller, Exchange, Route, ServeContext } from "./types.ts";

/** `/health`, answered to everybody; who sent no token where one is asked for hears of no server. */
export function healthRoutes(context: ServeContext): Route[] {
  const { host, discovery, stopping, redact, config, pluginsError } = context;
  return [
    {
      method: "GET",
      path: "/health",
      open: true,
      handle({ url, caller }) {
        const isReady = discovery.isReady && !stopping.aborted;
        const asksReady = url.searchParams.has("ready");
        const servers = host.servers();
        const fault = pluginsError?.();
        const haveFailed =
          caller.isStranger !== true &&
          servers.length > 0 &&
          servers.every(({ state }) => state === "failed");
        const body = {
          status: asksReady && !isReady ? "starting" : haveFailed ? "failed" : "ok",
          ready: isReady,
          ...(caller.isStranger !== true && {
            servers: servers.map(shownStatus),
            ...(config && faultsOf(config)),
            ...(fault && { plugins: { error: errorBody(fault) } }),
          }),
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

/**
 * `GET /servers`, `GET /servers/NAME`. Who may change servers is given the revision of the file that they are added to; for
 * others it would be a way to make sure of what they guess to stand in it.
 */
export function serversRoutes({ host, redact, config }: ServeContext): Route[] {
  const answer = async (value: object, { hasToken, isBound = false }: Caller) => {
    const revision = hasToken && !isBound ? await config?.revision() : undefined;
    return shown(value, redact, { headers: { ...(revision && { etag: `"${revision}"` }) } });
  };
  const one = ({ params, caller }: Exchange) => {
    // Something else is at that address besides: a server of that name is there all the same.
    const wanted = params["name"] ?? "reload";
    const statuses = host.servers();
    const found = statuses.find(({ name }) => name === wanted);
    if (found !== undefined) return answer(shownWhole(found, caller.allows), caller);
    const off = disabledIn(config);
    const disabled = off.find(({ name }) => name === wanted);
    if (disabled !== undefined) return answer(disabled, caller);
    throw unknownServer(
      wanted,
      [...statuses, ...off].map(({ name }) => name),
    );
  };
  return [
    {
      method: "GET",
      path: "/servers",
      handle: ({ caller }) =>
        answer(
          [
            ...host.servers().map((status) => shownWhole(status, caller.allows)),
            ...disabledIn(config),
          ],
          caller,
        ),
    },
    { method: "GET", path: "/servers/:name", handle: one },
    { method: "GET", path: "/servers/reload", handle: one },
  ];
}

/** An entry of the config that cannot be read. */
export function shownBad({ name, origin, reason, hint }: BadServer): object {
  return {
    name,
    from: withoutPaths(origin.label),
    reason,
    ...(hint !== undefined && { hint }),
  };
}

/** All that a client may see of a server: what it is to be used for is told to those who may use all of it. */
export function shownWhole(status: ServerStatus, allows: Caller["allows"] = () => true): object {
  const { name, serverInfo } = status;
  const instructions = allows([`${name}.`]) ? status.instructions : undefined;
  return {
    ...shownStatus(status),
    ...(serverInfo !== undefined && { serverInfo }),
    ...(instructions !== undefined && { instructions }),
  };
}

/** An answer, without what must not be shown. */
export function shown(
  value: object,
  redact: ServeContext["redact"],
  init: ResponseInit = {},
): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(redact(JSON.stringify(value)), {
    ...init,
    headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
  });
}

// --- internal ---

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

/** What is wrong with the config as it was read last; nothing where all is well. */
function faultsOf({ error, config: { bad } }: ServedConfig): object {
  if (error === undefined && bad.length === 0) return {};
  return {
    config: {
      ...(error !== undefined && { error: errorBody(error) }),
      ...(bad.length > 0 && { failed: bad.map(shownBad) }),
    },
  };
}

/** Those that stand in the config and are switched off. */
function disabledIn(config: ServedConfig | undefined): { name: string; state: string }[] {
  const servers = config?.config.servers ?? [];
  return servers
    .filter(({ disabled }) => disabled === true)
    .map(({ name }) => ({ name, state: "disabled" }));
}

/** The answer 404 of a server that is none. */
function unknownServer(name: string, known: readonly string[]): HttpError {
  const near = nearest(name, known);
  return new HttpError(
    404,
    "not_found",
    `no server is called ${JSON.stringify(name.slice(0, 100))}`,
    {
      facts: { nearest: near },
      hint: didYouMean(near) ?? "GET /servers lists those that there are",
    },
  );
}
