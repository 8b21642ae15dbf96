/**
 * One JSON-RPC link over any transport: ids, time-outs, progress, cancellation, both directions. It knows no method but
 * the two notifications that are about requests (progress, cancelled), and gives an answer only to the request that it
 * is for (protocol.md 1.1, 1.15).
 */
import type { Take } from "../base/channel.ts";
import { isRequest, isResponse } from "../protocol/jsonrpc.ts";
import type { Notification, Response } from "../protocol/jsonrpc.ts";
import { readProgress } from "../protocol/progress.ts";
import { AnswerQueue } from "./answer-queue.ts";
import { withWhole } from "./digits.ts";
import { inbound } from "./inbound.ts";
import type { Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import type { Peer, PeerOptions } from "./peer-types.ts";
import { numericId, Replies } from "./replies.ts";
import type { CloseInfo, Incoming, Transport } from "./transport.ts";

/** Starts to read the link at once. Ids count from 1. */
export function createPeer(transport: Transport, options: PeerOptions): Peer {
  const { name, log, inboundMax, onRequest, onSilent } = options;
  const onNotify = () => replies.notified();
  const ours = new Outbound({ name, log, transport, onNotify, onSilent });
  const replies = new Replies({
    name,
    log,
    pending: ours.pending,
    lastId: () => ours.lastId,
  });
  const answers = new AnswerQueue({ name, log, post: (response) => ours.post(response) });
  const theirs = inbound({
    ...(onRequest && { onRequest }),
    ...(inboundMax !== undefined && { inboundMax }),
    respond: (response) => answers.send(response),
    // It may be waiting for a person to answer: that is not its silence.
    onBusy: (isBusy) => (isBusy ? ours.pending.pause() : ours.pending.resume()),
  });

  const sides = { ours, theirs, options };
  const later = (response: Response, text: string) => replies.answer(response, text);
  const receive = (item: Incoming): Promise<void> | undefined => {
    ours.heard++;
    if (!("message" in item)) {
      if ("oversize" in item) replies.oversize(item.oversize);
      else replies.failed(item.failed);
      return undefined;
    }
    const { message, text } = item;
    if (isResponse(message)) {
      if (item.behindNoise === true) setTimeout(later, quotedMs, message, text);
      else replies.answer(message, text);
      return undefined;
    }
    if (!isRequest(message)) {
      notified(withWhole(message, text), sides);
      return undefined;
    }
    if (answers.admits()) theirs.handle(withWhole(message, text));
    // What is answered at once makes room before the next comes.
    return Promise.resolve();
  };

  const read = async (): Promise<CloseInfo> => {
    const info = await readAll(transport, receive, options);
    theirs.end(new Error(`the link to "${name}" ended`));
    ours.end(info);
    answers.end();
    return info;
  };
  const closed = read();
  const close = async () => {
    await transport[Symbol.asyncDispose]();
    await closed;
  };

  return {
    closed,
    request: (method, params, requestOptions) => ours.request(method, params, requestOptions),
    ask: (request) => ours.ask(request),
    notify: (method, params) => ours.notify(method, params),
    drop(how) {
      ours.end({ kind: "local", how });
      return close();
    },
    [Symbol.asyncDispose]: close,
  };
}

// --- internal ---

/** How long an answer that may only be quoted in a log line waits for the real one to come first. */
const quotedMs = 500;

/** Gives all that comes to `take`, until the link is closed. */
async function readAll(
  { incoming, closed }: Transport,
  take: Take<Incoming>,
  { name, log }: PeerOptions,
): Promise<CloseInfo> {
  try {
    await incoming.each(take);
  } catch (error) {
    log({ level: "debug", server: name, text: `reading failed: ${String(error)}` });
  }
  return await closed;
}

interface Sides {
  ours: Outbound;
  theirs: Inbound;
  options: PeerOptions;
}

/** Nothing that a notification says, or that its handler throws, ends the link. */
function notified({ method, params = {} }: Notification, { ours, theirs, options }: Sides): void {
  const debug = (text: string) => options.log({ level: "debug", server: options.name, text });
  try {
    if (method === "notifications/progress") {
      const fault = progressed(params, ours);
      if (fault === undefined) return;
      debug(`progress ignored: ${fault}`);
      // A task keeps the token of the call that made it, which was answered long ago (protocol.md 1.16).
      options.onNotification?.(method, params);
    } else if (method === "notifications/cancelled") {
      const { requestId } = params;
      const known =
        (typeof requestId === "number" || typeof requestId === "string") &&
        theirs.cancel(requestId);
      if (known) return;
      debug("cancelled ignored: no such request is running");
      // A modern server ends a subscription so: by the id of a request of ours (protocol.md 1.10).
      options.onNotification?.(method, params);
    } else options.onNotification?.(method, params);
  } catch (error) {
    debug(`the handler of ${method} failed: ${String(error)}`);
  }
}

/** Takes one progress notification; says why where it is not taken. */
function progressed(
  params: NonNullable<Notification["params"]>,
  ours: Outbound,
): string | undefined {
  const id = numericId(params.progressToken);
  if (id === undefined) return "its token is none of ours";
  const read = readProgress(params);
  if (read === undefined) return "it has no number";
  const renewed = ours.pending.renew(id, read.progress);
  if (typeof renewed === "string") return renewed;
  renewed.options.onProgress?.(read);
  return undefined;
}
