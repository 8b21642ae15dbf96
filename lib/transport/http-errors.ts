/**
 * The errors of exchanges that got no answer at all: the session was lost, the stream ended, the connection broke. Pure.
 * Loaded when there is one.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { typeOf } from "./http-body.ts";
import { clean, placeOf } from "./http-facts.ts";
import type { Exchange, Link } from "./http-types.ts";

/** The session is gone: the request was not done, and may be sent again in a new one. */
export function lostSession(server: string, method: string, httpStatus: number): HostError {
  const text = `server "${server}" does not know our session any more (HTTP ${httpStatus} to ${method})`;
  return new HostError("server_exit", text, {
    facts: { server, method, httpStatus, sent: false, sessionLost: true },
    hint: "it was probably started anew; a new session is opened for the next request",
  });
}

/** The stream ended, or broke (`cause`), and the answer was not in it. */
export function endedStream(
  response: Response,
  exchange: Exchange,
  link: Link,
  cause: unknown,
): HostError {
  const { name } = link.options;
  const { message, stray, aside } = exchange;
  const how = cause === undefined ? "ended its stream" : "lost its stream";
  const said =
    stray === undefined
      ? aside && `sent ${aside}`
      : `answered under id ${stray}, which waits for none`;
  const remark = said === undefined ? "" : ` (it ${said})`;
  // Afterwards nothing was there any more.
  const facts: Facts = isHostError(cause) ? cause.facts : {};
  const absence = facts.sent === false ? `, and is not there any more (${facts.errno})` : "";
  const text = `server "${name}" ${how} without an answer to ${message.method}${remark}${absence}`;
  return new HostError("server_exit", text, {
    facts: { ...exchangeFacts(response, exchange, link), ...(stray !== undefined && { stray }) },
    hint: "whether it was done is not known; the server's own log may tell",
    ...(cause !== undefined && { cause }),
  });
}

/** Nothing can be sent on a link that was closed. */
export function closedError(server: string): HostError {
  const text = `the link to server "${server}" is closed`;
  return new HostError("server_exit", text, { facts: { server, sent: false } });
}

/** What a fetch threw that was not made to say more: the exchange broke, and the server may have got it. */
export function brokenError(cause: unknown, server: string, method: string): HostError {
  if (isHostError(cause)) return cause;
  const errno = cause instanceof Error && "code" in cause ? clean(String(cause.code)) : undefined;
  if (errno !== undefined && unpacking.test(errno))
    return packedWrong(cause, errno, { server, method });
  const why = errno === undefined ? "" : ` (${errno})`;
  const text = `the connection to server "${server}" broke before it answered ${method}${why}`;
  return new HostError("server_exit", text, {
    facts: { server, method, sent: true, ...(errno !== undefined && { errno }) },
    hint: "whether it was done is not known; the server's own log may tell",
    cause,
  });
}

/** The answer was there, and cannot be read. */
function packedWrong(
  cause: unknown,
  errno: string,
  { server, method }: { server: string; method: string },
): HostError {
  const text = `what server "${server}" answered to ${method} cannot be unpacked (${errno})`;
  return new HostError("server_exit", text, {
    facts: { server, method, sent: true, errno },
    hint: "its header Content-Encoding names a compression that the answer does not have, or the answer is cut: a proxy that unpacks answers has to take that header out",
    cause,
  });
}

/** The codes by which the platform says that a compressed body is none. */
const unpacking = /^(?:Zlib|Brotli|Zstd)/;

/** What is known of an exchange that had a response. */
export function exchangeFacts(response: Response, { message }: Exchange, { options }: Link): Facts {
  const type = typeOf(response);
  return {
    server: options.name,
    method: message.method,
    httpStatus: response.status,
    url: placeOf(options.url),
    ...(type !== "" && { contentType: clean(type) }),
    sent: true,
  };
}
