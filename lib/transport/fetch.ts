/**
 * Makes the `fetch` by which one remote server is reached: its headers, certificates, proxy, and manners. The ordinary
 * request is the platform's own fetch and little more; what is out of the ordinary (a redirect, a refusal, an error) is
 * loaded when it is met, and so is what keeps cookies. It knows no protocol, never looks into a body (whoever reads it bounds
 * it), and never reads our process's environment.
 */
import { dresser } from "./fetch-headers.ts";
import {
  connectTimeoutMs,
  type FetchOptions,
  type FetchTls,
  type Link,
  type Outgoing,
  type ServerFetch,
} from "./fetch-types.ts";
import type { Route } from "./proxy.ts";
import type { Fetch } from "./remote.ts";

/**
 * The fetch of one server. Redirects are followed within the origin alone, with the same method and body.
 * @throws HostError `config` at once: a header that cannot be sent
 */
export function createFetch(options: FetchOptions): ServerFetch {
  const { name, env = {}, log, tls, ahead } = options;
  const dress = dresser(options);
  warnOfInsecure(tls, env, { name, log });
  const link: Link = { session: sessionOf(tls), ahead, trustsMore: false, reached: false };
  const isProxied = proxyNames.some((variable) => env[variable]);

  const send = async (request: Outgoing): Promise<Response> => {
    const { routeOf } = isProxied ? await import("./proxy.ts") : direct;
    const route = routeOf(request.url, env, name);
    const guard = link.reached ? undefined : guardOf(request, route, options);
    const proxy = route && { url: route.url, respectNoProxy: false };
    const { trustsMore } = link;
    try {
      const response = await begin(link, request, { proxy, signal: guard?.signal });
      link.reached = true;
      return response;
    } catch (error) {
      return await again(error, request, { route, trustsMore });
    } finally {
      guard?.[Symbol.dispose]();
    }
  };

  /** Once more with the authorities that the environment names, where these may vouch for the server. @throws HostError */
  const again = async (error: unknown, request: Outgoing, { route, trustsMore }: Tried) => {
    if (request.init.signal?.aborted) throw error;
    const { mayTrustMore, networkError } = await import("./fetch-errors.ts");
    const { authoritiesOf } =
      !trustsMore && mayTrustMore(error, tls) ? await import("./fetch-authorities.ts") : none;
    const authorities = await authoritiesOf(env);
    if (authorities.length === 0) throw networkError(error, { name, ...request, route, tls });
    link.trustsMore = true;
    link.session = sessionOf(tls, authorities);
    return await send(request);
  };

  const fetch: Fetch = async (url, init) => {
    const request = dress(url, init ?? {});
    const { trustsMore } = link;
    let response: Response;
    if (!link.reached || isProxied) response = await send(request);
    else
      try {
        response = await begin(link, request);
      } catch (error) {
        response = await again(error, request, { trustsMore });
      }
    const { status } = response;
    if (status < 300 || (status > 399 && status !== 429 && status !== 503)) return response;
    const { settle } = await import("./fetch-answers.ts");
    return await settle(response, request, { options, send });
  };
  return Object.assign(fetch, { [Symbol.dispose]: () => link.session.close() });
}

// --- internal ---

/** Connections of one server: with its own certificates, and shared with no other server. */
function sessionOf(tls: FetchTls | undefined, authorities?: string[]): Bun.FetchSession {
  const { insecure, ...pem } = tls ?? {};
  const options = {
    ...pem,
    ...(authorities && { ca: authorities }),
    ...(insecure && { rejectUnauthorized: false }),
  };
  return new Bun.FetchSession(Object.keys(options).length > 0 ? { tls: options } : {});
}

const proxyNames = [
  "http_proxy",
  "HTTP_PROXY",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
];

const none = { authoritiesOf: async (): Promise<string[]> => [] };
const direct = { routeOf: (): Route | undefined => undefined };

function warnOfInsecure(
  tls: FetchTls | undefined,
  env: Readonly<Record<string, string | undefined>>,
  { name, log }: Pick<FetchOptions, "name" | "log">,
): void {
  const why = tls?.insecure
    ? "tls.insecure is set"
    : env.NODE_TLS_REJECT_UNAUTHORIZED === "0" && "NODE_TLS_REJECT_UNAUTHORIZED is 0";
  if (!why) return;
  const text = `${why}: its certificate is not checked, and anybody on the way can read and change what is said`;
  log({ level: "warn", server: name, text });
}

/** Sends once, unless that was done. `how`: what is not the same for all. */
async function begin(link: Link, { url, headers, init }: Outgoing, how?: How): Promise<Response> {
  const proxy = how?.proxy ?? false;
  const signal = how?.signal ?? init.signal;
  const dressed = link.cookies?.dress(headers, url) ?? headers;
  // Without a limit on silence: how long an answer may take, and a stream be quiet, is for the caller to say.
  const whole = { ...init, headers: dressed, signal, proxy, redirect: "manual", timeout: false };
  const answer = link.ahead?.again(init.body, signal);
  const response = await (answer ?? link.session.fetch(url.href, whole as BunFetchRequestInit));
  if (response.headers.has("set-cookie")) {
    const { Cookies } = await import("./cookies.ts");
    (link.cookies ??= new Cookies()).take(response, url);
  }
  return response;
}

interface How {
  proxy?: { url: string; respectNoProxy: boolean } | undefined;
  /** In place of that of the request. */
  signal?: AbortSignal | undefined;
}

/** How a request was tried that failed. */
interface Tried {
  route?: Route | undefined;
  /** As of the link then. */
  trustsMore: boolean;
}

/** Watches whether the server can be reached at all, until it has answered once. */
function guardOf(
  request: Outgoing,
  route: Route | undefined,
  options: FetchOptions,
): { signal: AbortSignal } & Disposable {
  const { signal } = request.init;
  const control = new AbortController();
  /** Fires when the answer is there: what is still looked into then has no meaning. */
  let over: AbortController | undefined;
  const look = async () => {
    const looking = (over = new AbortController());
    const { unreachable } = await import("./fetch-connect.ts");
    const error = await unreachable(request.url, route, options, looking.signal);
    if (error && !looking.signal.aborted) control.abort(error);
  };
  const timer = setTimeout(() => void look(), options.connectTimeoutMs ?? connectTimeoutMs);
  return {
    signal: signal ? AbortSignal.any([signal, control.signal]) : control.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      over?.abort();
    },
  };
}
