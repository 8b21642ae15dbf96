/**
 * Where the messages of HTTP+SSE go: the address that a server names on its stream, and the one that is meant where a proxy
 * stands between that does not tell it how it is reached.
 */
import { HostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import type { EventStream } from "./event-stream.ts";
import type { RemoteOptions } from "./remote.ts";

/** The address for messages, which comes before anything else. @throws HostError `server_start` */
export async function firstEndpoint(options: RemoteOptions, events: EventStream): Promise<URL> {
  const { name, log } = options;
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) break;
    if ("oversize" in value) continue;
    if (value.event === "endpoint") return endpointOf(options, value.data);
    if (value.data !== "") debug(log, name, () => "an event before `endpoint` was ignored");
  }
  const text = `server "${name}" ended its event stream before it named an address for messages`;
  throw new HostError("server_start", text, { facts: { server: name, sent: false } });
}

/**
 * The address that an `endpoint` event names, resolved against the server's own.
 * @throws HostError `server_start`: no URL, or one of another origin
 */
export function endpointOf({ name, url }: RemoteOptions, data: string): URL {
  const base = new URL(url);
  const endpoint = URL.parse(data.trim().replace(/^"(.*)"$/, "$1"), base.href);
  // Behind a proxy that ends TLS, a server does not know of it.
  const isPlain = endpoint?.protocol === "http:" && endpoint.host === base.host;
  if (isPlain && base.protocol === "https:") endpoint.protocol = base.protocol;
  if (endpoint !== null && endpoint.origin === base.origin) return endpoint;
  const what = endpoint === null ? "what is no URL" : `one of another origin (${endpoint.origin})`;
  const text = `server "${name}" named as the address for messages ${what}`;
  throw new HostError("server_start", text, {
    facts: { server: name, origin: base.origin, sent: false },
    hint: "messages, and what is secret in their headers, go to the configured origin alone: reach it by that one, or tell the server the address that it is reached by",
  });
}

/**
 * Where messages go if nothing is at the address that was named: behind a proxy that has a path of its own for a server, and
 * does not tell it. Undefined where the server's own URL shows no such path.
 */
export function behindPrefix({ url }: RemoteOptions, { pathname, search, origin }: URL) {
  const folders = new URL(url).pathname.replace(/\/$/, "").split("/").slice(1, -1);
  const [, first = ""] = pathname.split("/");
  const known = folders.indexOf(first);
  const prefix = known < 0 ? folders : folders.slice(0, known);
  return prefix.length === 0
    ? undefined
    : new URL(`/${prefix.join("/")}${pathname}${search}`, origin);
}
