/**
 * Makes the `fetch` by which one remote server is reached: its headers, certificates, proxy, and manners. The ordinary
 * request is the platform's own fetch and little more; what is out of the ordinary (a redirect, a refusal, an error) is
 * loaded when it is met. It knows no protocol, keeps no cookies, never looks into a body (whoever reads it bounds it), and
 * never reads our process's environment.
 */
import { HostError } from "../base/errors.ts";
import { basicOf } from "../base/uri.ts";
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
  const { name, env = {}, log, tls } = options;
  const dress = dresser(checkedHeaders(options));
  warnOfInsecure(tls, env, { name, log });
  const link: Link = { session: sessionOf(tls), trustsMore: false, reached: false };
  const isProxied = proxyNames.some((variable) => env[variable]);

  const send = async (request: Outgoing): Promise<Response> => {
    const { routeOf } = isProxied ? await import("./proxy.ts") : direct;
    const route = routeOf(request.url, env, name);
    const guard = link.reached ? undefined : guardOf(request, route, options);
    const { session, trustsMore } = link;
    const proxy = route ? { url: route.url, respectNoProxy: false } : false;
    // Without a limit on silence: how long an answer may take, and a stream be quiet, is for the caller to say.
    const init = { ...request.init, ...guard?.init, proxy, redirect: "manual", timeout: false };
    try {
      const response = await session.fetch(request.url.href, init as BunFetchRequestInit);
      link.reached = true;
      return response;
    } catch (error) {
      if (request.init.signal?.aborted) throw error;
      const { mayTrustMore, networkError } = await import("./fetch-errors.ts");
      const { authoritiesOf } =
        !trustsMore && mayTrustMore(error, tls) ? await import("./fetch-authorities.ts") : none;
      const authorities = await authoritiesOf(env);
      if (authorities.length === 0) throw networkError(error, { name, ...request, route, tls });
      link.trustsMore = true;
      link.session = sessionOf(tls, authorities);
      return await send(request);
    } finally {
      guard?.[Symbol.dispose]();
    }
  };

  const fetch: Fetch = async (url, init = {}) => {
    const request = dress(url, init);
    const response = await send(request);
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

/** HTTP's own set for values (RFC 9110, section 5.5), as far as Latin-1 goes. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function checkedHeaders({ name, headers = {} }: FetchOptions): Headers | undefined {
  for (const [header, value] of Object.entries(headers))
    if (!headerName.test(header) || !headerValue.test(value))
      throw new HostError(
        "config",
        `server "${name}": the header ${JSON.stringify(header)} cannot be sent`,
        {
          facts: { server: name, header },
          hint: "a name is letters, digits and -; a value has no line ends and no characters beyond Latin-1",
        },
      );
  return Object.keys(headers).length > 0 ? new Headers(headers) : undefined;
}

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

/**
 * Puts address and headers together: the caller's headers win; a user and password in the address become a header, and
 * are in it no longer. Most often an address is that of the request before, and read once.
 */
function dresser(
  configured: Headers | undefined,
): (address: string, init: RequestInit) => Outgoing {
  let known = "";
  let place: { url: URL; headers: Headers | undefined } | undefined;
  return (address, init) => {
    if (place === undefined || address !== known) place = placeOf(address, configured);
    known = address;
    const { url, headers: ours } = place;
    if (ours === undefined) return { url, init };
    const headers = new Headers(init.headers);
    ours.forEach((value, name) => {
      if (!headers.has(name)) headers.set(name, value);
    });
    return { url, init: { ...init, headers } };
  };
}

/** Where requests go, and the headers that they have by that and by the config. */
function placeOf(address: string, configured: Headers | undefined) {
  const url = new URL(address);
  const basic = basicOf(url);
  if (basic === undefined) return { url, headers: configured };
  const headers = new Headers(configured);
  if (!headers.has("authorization")) headers.set("authorization", `Basic ${basic}`);
  url.username = "";
  url.password = "";
  return { url, headers };
}

/** Watches whether the server can be reached at all, until it has answered once. */
function guardOf(
  request: Outgoing,
  route: Route | undefined,
  options: FetchOptions,
): { init: Pick<RequestInit, "signal"> } & Disposable {
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
    init: { signal: signal ? AbortSignal.any([signal, control.signal]) : control.signal },
    [Symbol.dispose]() {
      clearTimeout(timer);
      over?.abort();
    },
  };
}
