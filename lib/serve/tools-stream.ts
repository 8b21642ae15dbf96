/**
 * `POST /tools` with `stream: true`: events `{progress}` and `{log}`, then `{chunk}` with the text, then `{done: true}` with
 * everything else. The stream begins once it is certain that the tool may be called, or that it
 * is asked about, which is told in it; a client that leaves cancels the call.
 */
import { withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Call } from "../hooks/call.ts";
import type { Progress } from "../protocol/mcp.ts";
import { type EventStream, eventStream } from "./stream.ts";
import { type AnswerBody, answerTexts } from "./tools-answer.ts";
import { logEvent } from "./tools-logs.ts";
import type { CallLogs, LogFollower } from "./tools-logs.ts";
import { refusalOf } from "./tools-refusal.ts";
import { traceOf } from "./trace.ts";
import type { Exchange, ServeContext } from "./types.ts";
import { tellWaiting } from "./waiting-news.ts";

/** What a slow client may leave waiting before progress is left out for it (what comes later says more anyway), and logs. */
const waitingMax = 65_536;

/** @throws HttpError where the call cannot begin */
export async function streamCall(
  exchange: Exchange,
  context: ServeContext,
  { tool, params, logs }: { tool: string; params: JsonObject; logs: CallLogs },
): Promise<Response> {
  const { caller } = exchange;
  const { redact } = context;
  const left = new AbortController();
  let stream: EventStream | undefined;
  let leftOut = 0;
  const follower: LogFollower = {
    server: undefined,
    hear(log) {
      if (stream === undefined || stream.waiting >= waitingMax) leftOut += 1;
      else stream.send({ data: redact(JSON.stringify(logEvent(log))) });
    },
  };
  const begun = Promise.withResolvers<void>();
  let isKnown = false;
  let asked: Call | undefined;
  let waiting: Disposable | undefined;
  const over = () => waiting?.[Symbol.dispose]();
  const onProgress = (progress: Progress) => {
    if (stream !== undefined && stream.waiting < waitingMax)
      send(stream, { progress: shown(progress) });
  };
  const meta = traceOf(exchange.request);
  const { record, outcome } = context.calls.begin({
    tool,
    arguments: params,
    // Who stops us lets the client know how its call ended: the stream is not cut.
    signal: AbortSignal.any([exchange.request.signal, context.stopping, left.signal]),
    actor: "gateway",
    owner: caller.owner,
    admits: caller.allows,
    listedOnly: true,
    ...(meta && { meta }),
    listener: {
      onWaiting(call) {
        asked = call;
        begun.resolve();
      },
      onCall({ server }) {
        isKnown = true;
        over();
        follower.server = server;
        begun.resolve();
      },
    },
    onProgress,
  });
  const { id } = record;
  logs.follow(id, follower);
  void outcome.then(() => (logs.leave(id), over()));
  await Promise.race([begun.promise, outcome]);
  if (!isKnown && asked === undefined) {
    const refusal = refusalOf(await outcome, { name: tool, caller, isKnown });
    if (refusal !== undefined) throw refusal;
  }
  const open = (stream = openStream(exchange, context, left));
  // Bun holds back the head of an answer until there is something of its body.
  open.comment("the call runs");
  if (asked !== undefined && !isKnown)
    waiting = tellWaiting(asked, { onProgress, onLog: (log) => send(open, logEvent(log)) });
  const texts = outcome.then((ended) => answerTexts(ended, id, redact, eventsOf));
  void finish(open, texts, () => leftOut);
  return open.response;
}

// --- internal ---

/** Ends with the client, or when we end it. @throws HttpError 503 where too many are open; the call is given up then */
function openStream(exchange: Exchange, context: ServeContext, left: AbortController): EventStream {
  try {
    return eventStream(
      { keepOpen: () => exchange.keepOpen(), signal: exchange.request.signal },
      { streams: context.streams, stopping: new AbortController().signal },
      { onClose: () => left.abort() },
    );
  } catch (error) {
    left.abort();
    throw error;
  }
}

/** Sends what became of a call, and before that how many logs were left out; an outcome never rejects. */
async function finish(
  stream: EventStream,
  texts: Promise<string[]>,
  leftOut: () => number,
): Promise<void> {
  const ended = await texts;
  if (leftOut() > 0) send(stream, leftOutEvent(leftOut()));
  for (const data of ended) stream.send({ data });
  stream.end();
}

/** The text, then all the rest. */
function eventsOf({ plain_text_response: text, ...rest }: AnswerBody): object[] {
  const chunk = text === undefined || text === "" ? [] : [{ chunk: text }];
  return [...chunk, { done: true, ...rest }];
}

function send(stream: EventStream, event: Record<string, unknown>): void {
  stream.send({ data: JSON.stringify(event) });
}

function leftOutEvent(count: number): JsonObject {
  const data = `${count} log messages came faster than they were read, and were left out`;
  return logEvent({ level: "notice", logger: "mcphost", data });
}

/** As the server sent it, and nothing that is not progress. */
function shown(given: Progress) {
  const { progress, total, message } = withDigits(given);
  return {
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message }),
  };
}
