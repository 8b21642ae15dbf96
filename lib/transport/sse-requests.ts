/**
 * The two HTTP requests of HTTP+SSE, each with what is wrong with its answer: the GET that brings the stream, and the POST
 * of one message. They keep nothing.
 */
import { HostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { isRequest, isResponse } from "../protocol/jsonrpc.ts";
import type { Message, RequestId } from "../protocol/jsonrpc.ts";
import { readMessage } from "../protocol/read.ts";
import { readBody, typeOf } from "./http-body.ts";
import type { BodyText } from "./http-body.ts";
import type { RemoteOptions } from "./remote.ts";
import { codeOfStatus, hintOf } from "./status.ts";
import { clipNoise, parse } from "./text.ts";
import type { Incoming } from "./transport.ts";

/** The body of the event stream. @throws HostError `server_start`, and what `fetch` throws */
export async function openEventStream(
  { name, url, fetch, hasToken }: RemoteOptions,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { accept: "text/event-stream", "cache-control": "no-cache" };
  const response = await fetch(url, { method: "GET", headers, signal });
  const type = typeOf(response);
  if (response.ok && response.body !== null && type === "text/event-stream") return response.body;
  // Some give their stream another name, or none.
  const { text: said, events } = await readBody(response, headBytesMax).catch((): BodyText => {
    return { text: "" };
  });
  if (response.ok && events !== undefined) return events;
  await events?.cancel();
  const got = response.ok
    ? `answered with ${type || "no content type"}`
    : `answered HTTP ${response.status}`;
  const text = `server "${name}" ${got} where an event stream was expected${shown(said)}`;
  const { status } = response;
  const code = codeOfStatus(status, "server_start");
  throw new HostError(code, text, {
    facts: { server: name, httpStatus: status, sent: false },
    hint:
      (code === "auth_required" ? hintOf(response, { url, hasToken }) : undefined) ??
      "is an HTTP+SSE server (of 2024-11-05) at that URL? others are reached with the transport `http`",
  });
}

/** What came of a POST. `lost`: the server does not know this link any more. */
export interface Posted {
  items: Incoming[];
  lost?: { httpStatus: number };
}

/** A message on its way to the address. */
export interface Post {
  endpoint: URL;
  body: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** The other address, to be asked for where nothing is at the first. */
  elsewhere?: (() => URL | undefined) | undefined;
}

/**
 * Posts one message. A refused request comes back as its failure (or as the JSON-RPC error that the server put in the
 * body); a refused notification or answer is thrown.
 * @throws HostError `rpc_error` `server_exit`, and what `fetch` throws
 */
export async function postMessage(
  options: RemoteOptions,
  message: Message,
  post: Post,
): Promise<Posted> {
  const { endpoint } = post;
  const response = await sent(options, post);
  const isJson = response.ok && isRequest(message) && typeOf(response) === "application/json";
  const text = await headOf(response, isJson ? options.responseBytesMax : headBytesMax);
  if (response.ok) return { items: isJson ? ownAnswer(message.id, text) : [] };
  // The link is gone, unless that is the answer.
  const isLost = response.status === 404 || response.status === 410;
  const answer = isRequest(message) ? errorAnswer(message.id, text, isLost) : undefined;
  if (answer !== undefined) return { items: [answer] };
  const isFirst = "method" in message && message.method === "initialize";
  if (isLost && isFirst) throw misplaced(options, endpoint, response.status, text);
  const error = refusal(options, message, response, { text, isLost });
  const lost = isLost && { lost: { httpStatus: response.status } };
  if (isRequest(message)) return { items: [{ failed: { id: message.id, error } }], ...lost };
  if (!isLost) throw error;
  return { items: [], ...lost };
}

// --- internal ---

/** The answer to a POST; to that at the other address where there is something there alone. */
async function sent(
  { fetch }: RemoteOptions,
  { endpoint, elsewhere, ...message }: Post,
): Promise<Response> {
  const init = { method: "POST", ...message };
  const first = await fetch(endpoint.href, init);
  const other = isNowhere(first) ? elsewhere?.() : undefined;
  if (other === undefined) return first;
  const second = await fetch(other.href, init);
  const [taken, left] = isNowhere(second) ? [first, second] : [second, first];
  await left.body?.cancel().catch(() => {});
  return taken;
}

function isNowhere({ status }: Response): boolean {
  return status === 404 || status === 405;
}

/** How much of a body that is none of ours is read. */
const headBytesMax = 65_536;

/** The beginning of a body; the rest is thrown away. A body that breaks ends there. */
async function headOf({ body }: Response, bytesMax = 67_108_864): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (bytes > bytesMax) break;
    }
  } catch {
    // What came before is what there is to tell.
  }
  return text;
}

function shown(text: string): string {
  const line = clipNoise(text.replace(/\s+/g, " ").trim());
  return line === "" ? "" : `: ${line}`;
}

/** Some servers answer where they should only take; what comes on the stream besides is a second answer. */
function ownAnswer(id: RequestId, text: string): Incoming[] {
  const value = parse(text.trim());
  const { message } = isObject(value) ? readMessage(value) : {};
  if (message === undefined || !isResponse(message) || String(message.id) !== String(id)) return [];
  return [{ message: { ...message, id }, text: text.trim() }];
}

/** A JSON-RPC error in the body of a refusal, as the answer to the request that was refused; `strict`: under its own id. */
function errorAnswer(id: RequestId, text: string, strict: boolean): Incoming | undefined {
  const value = parse(text.trim());
  const { message } = isObject(value) ? readMessage(value) : {};
  if (message === undefined || !isResponse(message) || message.error === undefined)
    return undefined;
  if (strict && String(message.id) !== String(id)) return undefined;
  return { message: { jsonrpc: "2.0", id, error: message.error }, text: text.trim() };
}

/** Nothing is where the server said that messages go, as behind a proxy that has a path of its own for it. */
function misplaced(
  { name, url }: RemoteOptions,
  { pathname }: URL,
  status: number,
  text: string,
): HostError {
  const what = `takes no messages at ${pathname}, which it named for them (HTTP ${status})`;
  return new HostError("server_start", `server "${name}" ${what}${shown(text)}`, {
    facts: { server: name, httpStatus: status, sent: false },
    hint: `a server behind a proxy has to be told of the path that it is reached by, here ${new URL(url).pathname}`,
  });
}

function refusal(
  { name: server, url, hasToken }: RemoteOptions,
  message: Message,
  { status, headers }: Response,
  { text, isLost }: { text: string; isLost: boolean },
): HostError {
  const method = "method" in message ? message.method : "an answer of ours";
  const facts: Facts = { server, method, httpStatus: status, sent: !isLost };
  if (isLost) {
    const lost = `server "${server}" no longer knows this link (HTTP ${status})${shown(text)}`;
    return new HostError("server_exit", lost, { facts: { ...facts, sessionLost: true } });
  }
  const hint = hintOf({ status, headers }, { url, hasToken });
  return new HostError(
    codeOfStatus(status, "rpc_error"),
    `server "${server}" answered ${method} with HTTP ${status}${shown(text)}`,
    { facts, ...(hint !== undefined && { hint }) },
  );
}
