/**
 * Answers that are none, judged: which error follows from a status and a body, with the facts. A JSON-RPC error in the
 * body comes before the status (protocol.md 1.5). It decides by codes and statuses. Loaded when such an answer is met.
 */
import { HostError } from "../base/errors.ts";
import type { ErrorCode } from "../base/errors.ts";
import { readExcerpt, typeOf } from "./http-body.ts";
import { exchangeFacts, lostSession } from "./http-errors.ts";
import { challengeOf, clean, placeOf, retryAfterOf } from "./http-facts.ts";
import type { Exchange, Link } from "./http-types.ts";
import { isSessionLost, isSessionOver } from "./lost-session.ts";
import { codeOfStatus, hintOf, isLostOnTheWay } from "./status.ts";

/** A response other than 200: its JSON-RPC error goes to the request, else the request fails. */
export async function refuse(response: Response, exchange: Exchange, link: Link): Promise<void> {
  const { status } = response;
  const body = await readExcerpt(response, { bytesMax: bodyBytesMax, ms: link.times.refusalMs });
  const text = typeOf(response) === "text/event-stream" ? dataOf(body) : body;
  if (exchange.ending.signal.aborted) return;
  const items = /^\s*[[{]/.test(text) ? link.read(text) : [];
  if (exchange.hadSession && isSessionLost(status, text, items, exchange.id)) {
    const lost = lostSession(link.options.name, exchange.message.method, status);
    void link.take([{ failed: { id: exchange.id, error: lost } }]);
    return link.loseSession(status);
  }
  const isChallenge = status === 401 || (status === 403 && response.headers.has(challengeHeader));
  if (!isChallenge) await link.take(items, exchange);
  if (exchange.hadSession && isSessionOver(status, text, items)) link.loseSession(status);
  if (status === 202 && !exchange.isModern) await elsewhere(exchange, link);
  if (exchange.isAnswered || exchange.ending.signal.aborted) return;
  const error = noAnswer(response, text, exchange, link);
  void link.take([{ failed: { id: exchange.id, error } }]);
}

/** Waits while the answer may still come on the server's own stream, as some servers send it. */
async function elsewhere(exchange: Exchange, { ownStream }: Link): Promise<void> {
  if (exchange.isAnswered || ownStream === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  exchange.onAnswered = resolve;
  exchange.ending.signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([promise, ownStream]);
}

/** A whole response without the answer. */
export function noAnswer(
  response: Response,
  body: string,
  exchange: Exchange,
  link: Link,
): HostError {
  const { name } = link.options;
  const { method } = exchange.message;
  const challenge = challengeOf(response.headers.get(challengeHeader));
  const retryAfterMs = retryAfterOf(response.headers);
  const excerpt = clean(body);
  const { code, what, hint } = verdict({ response, excerpt }, exchange, link);
  const shown = excerpt === "" ? "" : `: ${excerpt}`;
  return new HostError(code, `server "${name}" ${what} to ${method}${shown}`, {
    facts: {
      ...exchangeFacts(response, exchange, link),
      ...(excerpt !== "" && { body: excerpt }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(challenge && { challenge }),
      ...(exchange.stray !== undefined && { stray: exchange.stray }),
    },
    ...(hint !== undefined && { hint }),
  });
}

// --- internal ---

/** How much of the body of a refusal is read. */
const bodyBytesMax = 1_048_576;
const challengeHeader = "www-authenticate";

/** What the first events of a stream say. */
function dataOf(body: string): string {
  return Array.from(body.matchAll(/^data: ?(.*)$/gm), ([, data]) => data).join("\n");
}

interface Verdict {
  code: ErrorCode;
  /** In words between the server's name and "to METHOD". */
  what: string;
  hint?: string | undefined;
}

interface Refused {
  response: Response;
  excerpt: string;
}

function verdict({ response, excerpt }: Refused, exchange: Exchange, link: Link): Verdict {
  const { status, ok, statusText } = response;
  // What was taken may have been done, and be answered on another stream.
  const isTaken = exchange.stray === undefined && (isQuiet(status) || isEmpty(response, excerpt));
  if (ok) {
    const words = noMessage(response, excerpt, exchange, link);
    return { code: isTaken ? "server_exit" : "rpc_error", ...words };
  }
  const answered = `answered HTTP ${status}${statusText === "" ? "" : ` (${clean(statusText)})`}`;
  const hint = hintOf(response, link.options);
  const code = codeOfStatus(status, isLostOnTheWay(status) ? "server_exit" : "rpc_error");
  const lead = { 401: "wants a sign-in: it ", 403: "refuses us: it " }[status] ?? "";
  return { code, what: `${lead}${answered}`, hint };
}

function isQuiet(status: number): boolean {
  return status === 202 || status === 204;
}

/** What says that it is none of ours (a page) is not empty. */
function isEmpty(response: Response, excerpt: string): boolean {
  const type = typeOf(response);
  return excerpt === "" && (type === "application/json" || type === "");
}

/** A success without a message. */
function noMessage(
  response: Response,
  excerpt: string,
  { stray, message }: Exchange,
  { options: { url } }: Link,
): Pick<Verdict, "what" | "hint"> {
  const encoding = response.headers.get("content-encoding");
  const type = typeOf(response);
  const hint = greetings.has(message.method)
    ? "is that the address of its MCP endpoint (often with /mcp at the end)?"
    : "it was greeted there before: its own log, or what stands before it, may tell";
  if (stray !== undefined)
    return {
      what: `gave an answer under id ${stray}, which waits for none,`,
      hint: "the server must answer each request under the request's own id",
    };
  if (isQuiet(response.status))
    return { what: `took a request (HTTP ${response.status}) and gave no answer` };
  if (encoding !== null && !knownEncodings.has(encoding.toLowerCase()))
    return {
      what: `gave an answer that is encoded as "${clean(encoding)}", which we cannot read,`,
    };
  if (isEmpty(response, excerpt)) return { what: "gave an empty answer", hint };
  const got = type === "" ? "something without a content type" : clean(type);
  const where = `(HTTP ${response.status} from ${placeOf(url)})`;
  if (type !== "application/json")
    return { what: `gave ${got} ${where}, where JSON or an event stream was expected,`, hint };
  return { what: "gave an answer that is no JSON-RPC message", hint };
}

const greetings = new Set(["initialize", "server/discover"]);
const knownEncodings = new Set(["identity", "gzip", "x-gzip", "deflate", "br", "zstd"]);
