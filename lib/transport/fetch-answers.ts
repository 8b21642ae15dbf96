/**
 * What is to be done with an answer that is none yet: a redirect is followed within the origin, a refusal that names its
 * time is waited for, unless its body answers a request all the same. Loaded when such an answer is met.
 */
import { sleep } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { placeOf } from "./fetch-errors.ts";
import type { FetchContext, Outgoing } from "./fetch-types.ts";
import { readExcerpt } from "./http-body.ts";
import { parse } from "./text.ts";

/**
 * The answer that the request comes to in the end.
 * @throws HostError `server_exit`: a redirect that may not be followed, or too many
 */
export async function settle(
  first: Response,
  request: Outgoing,
  context: FetchContext,
): Promise<Response> {
  const { name, retryMsMax = 30_000, log } = context.options;
  const { signal } = request.init;
  let response = first;
  let at = request;
  let waitedMs = 0;
  for (let redirects = 0, retries = 0; ;) {
    const target = redirectOf(response, at, name);
    const waitMs = retries < retriesMax ? waitOf(response, at) : undefined;
    if (target !== undefined) {
      if (++redirects > redirectsMax) throw tooMany(at, name);
      at = { ...at, url: target };
    } else if (waitMs !== undefined && waitedMs + waitMs <= retryMsMax) {
      const body = await readExcerpt(response, bodyBounds);
      if (isAnswer(body)) return new Response(body, response);
      retries++;
      waitedMs += waitMs;
      const text = `it has no time now (status ${response.status}); trying again in ${waitMs} ms`;
      log({ level: "info", server: name, text });
      await sleep(waitMs, signal ?? undefined);
      response = await context.send(at);
      continue;
    } else return response;
    await discard(response);
    response = await context.send(at);
  }
}

// --- internal ---

const redirectsMax = 5;
const retriesMax = 3;
/** Of a refusal. */
const bodyBounds = { bytesMax: 1_048_576, ms: 2000 };

/** The JSON-RPC answer to a request, by its id (protocol.md 1.5): the request was taken, and is not to be sent again. */
function isAnswer(body: string): boolean {
  const value = parse(body.trim());
  return isObject(value) && (typeof value.id === "number" || typeof value.id === "string");
}

/**
 * Where a redirect leads; undefined for an answer that is none. Method and body stay: nothing was done yet where a server
 * sends a request elsewhere with 301, 302, 307 or 308, and a POST that became a GET would be another request. After 303
 * it was done, and its result lies where we cannot know what it would be.
 */
function redirectOf(response: Response, { url, init }: Outgoing, name: string): URL | undefined {
  const { status, headers } = response;
  const location = headers.get("location");
  const isGet = (init.method ?? "GET") === "GET";
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined;
  const facts = { server: name, httpStatus: status, ...placeOf(url) };
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (target === undefined)
    throw new HostError("server_exit", `server "${name}": it redirects to what is no address`, {
      facts: { ...facts, sent: false },
      hint: "the server's configuration is wrong",
    });
  // Its query may hold what is secret.
  const place = target.origin === "null" ? target.protocol : target.origin + target.pathname;
  if (target.origin !== url.origin)
    throw new HostError("server_exit", `server "${name}": ${url.origin} redirects to ${place}`, {
      facts: { ...facts, sent: status === 303, location: place },
      hint: `another origin is never followed, since headers and tokens are for ${url.host} alone; if it is the right place, write its address in the config`,
    });
  if (status === 303 && !isGet)
    throw new HostError("server_exit", `server "${name}": it answered with status 303`, {
      facts: { ...facts, sent: true },
      hint: "a server that speaks MCP answers a request itself; is the address that of its MCP endpoint?",
    });
  target.username = "";
  target.password = "";
  return target;
}

function tooMany({ url }: Outgoing, name: string): HostError {
  return new HostError("server_exit", `server "${name}": more than ${redirectsMax} redirects`, {
    facts: { server: name, sent: false, redirects: redirectsMax, ...placeOf(url) },
    hint: "the server sends requests round in a circle; its configuration is wrong",
  });
}

/** How long a server that refused wants us to wait; undefined where it does not say, or the body cannot be sent again. */
function waitOf({ status, headers }: Response, { init }: Outgoing): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  if (init.body !== undefined && init.body !== null && typeof init.body !== "string")
    return undefined;
  const written = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(written)) return Number(written) * 1000;
  const at = Date.parse(written);
  return Number.isNaN(at) || !/[A-Za-z]/.test(written) ? undefined : Math.max(0, at - Date.now());
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}
