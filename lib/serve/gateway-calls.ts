/** Tool calls of the gateway: through the host's one call path, results byte for byte where the client takes them so. */
import { clip } from "../base/clip.ts";
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { InputRound } from "../client/types.ts";
import type { Outcome } from "../hooks/call.ts";
import type { OpenedHost, OwnedCallRequest } from "../host/opened-types.ts";
import { invalidParams, RpcError } from "../protocol/jsonrpc.ts";
import type { Progress } from "../protocol/mcp.ts";
import type { CallBook } from "./calls-book.ts";
import { badParams, textForModel, toRpcError } from "./gateway-errors.ts";
import { isWanted, logLevels } from "./gateway-logs.ts";
import type { Flight, Logs } from "./gateway-logs.ts";
import { onwardMeta } from "./gateway-meta.ts";
import { ownText, resultText } from "./gateway-results.ts";
import type { Downstream, Made, Question, Scope } from "./gateway-types.ts";
import { errorBody } from "./http-error.ts";
import type { HttpError } from "./http-error.ts";
import { refusalOf } from "./tools-refusal.ts";
import { tellWaiting } from "./waiting-news.ts";

export interface CallContext {
  /** What all clients have in common. */
  host: OpenedHost;
  logs: Logs;
  /** @default nothing is written down */
  calls?: CallBook | undefined;
}

/** The server of a tool; undefined where nobody knows it, which its call then tells. */
export async function serverOfTool(
  { params: { name }, from, signal }: Question,
  host: OpenedHost,
): Promise<string | undefined> {
  if (from.scope.server !== undefined || typeof name !== "string") return from.scope.server;
  try {
    return (await host.resolve(name, { signal })).server;
  } catch {
    return undefined;
  }
}

/** @throws RpcError */
export async function callTool(
  question: Question,
  { logs, calls, ...common }: CallContext,
  rounds?: InputRound,
): Promise<Made> {
  const { params, from } = question;
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") badParams("tools/call needs the name of a tool");
  if (!isObject(args)) badParams("the arguments of a tool are an object");
  const { scope, guest } = from;
  const { host } = guest ?? common;
  const flight: Flight = { question, server: scope.server, isQueued: true };
  let isKnown = false;
  const onProgress = progressOf(question);
  const meta = onwardMeta(params);
  const answers = guest?.answersOn?.(question);
  let waiting: Disposable | undefined;
  logs.begin(flight);
  try {
    const request: OwnedCallRequest = {
      tool: scope.server === undefined ? name : `${scope.server}/${name}`,
      arguments: args,
      actor: "gateway",
      owner: scope.owner,
      admits: scope.allows,
      listener: {
        onWaiting(call) {
          waiting = tellWaiting(call, { onProgress, onLog: logTo(question) });
        },
        onCall({ id, server }) {
          waiting?.[Symbol.dispose]();
          flight.server = server;
          logs.called(id, from);
          isKnown = true;
        },
        onSent() {
          flight.isQueued = false;
        },
      },
    };
    cancellable(request, question, host);
    if (onProgress !== undefined) request.onProgress = onProgress;
    if (meta !== undefined) request.meta = meta;
    if (answers !== undefined) request.answers = answers;
    if (rounds !== undefined) request.rounds = rounds;
    const { onTask, asTask, timeoutMs } = question;
    if (onTask !== undefined) request.onTask = onTask;
    if (asTask !== undefined) request.asTask = asTask;
    if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
    if (from.logLevel !== undefined) request.logLevel = from.logLevel;
    const outcome = await (calls?.begin(request, host).outcome ?? host.call(request));
    const refusal = refusalOf(outcome, { name, caller: scope, isKnown });
    if (refusal?.status === 404 || refusal?.status === 400) refuse(refusal, name, scope);
    return outcome.status === "input_required" ? { input: outcome } : textOf(outcome, from);
  } finally {
    waiting?.[Symbol.dispose]();
    logs.end(flight);
  }
}

/** Tells a client of progress under its own token, where it gave one; undefined where it did not. */
function progressOf({
  params,
  from,
  notify,
}: Question): ((progress: Progress) => void) | undefined {
  const token = isObject(params._meta) ? params._meta.progressToken : undefined;
  if (typeof token !== "string" && typeof token !== "number") return undefined;
  const { annotations } = from.knows;
  return ({ message, ...progress }) =>
    notify("notifications/progress", {
      progressToken: token,
      ...progress,
      ...(message !== undefined && annotations && { message }),
    });
}

// --- internal ---

/** Tells a client of a warning of ours on the stream of its request, where it wants any. */
function logTo({ from, notify }: Question): ((params: JsonObject) => void) | undefined {
  if (!isWanted(from, logLevels.indexOf("warning"))) return undefined;
  return (params) => notify("notifications/message", params);
}

/** Lets a client give its call up: by the call's id where that will do, for signals are dear. */
function cancellable(request: OwnedCallRequest, question: Question, host: OpenedHost): void {
  if (question.onCancel === undefined) {
    request.signal = question.signal;
    return;
  }
  const id = (request.id = crypto.randomUUID());
  const { listener } = request;
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    host.cancel(id, new HostError("cancelled", "the client cancelled the call"));
  };
  question.onCancel(cancel);
  // What was cancelled before the host had begun it.
  request.listener = {
    ...listener,
    onCall(call) {
      listener?.onCall?.(call);
      if (isCancelled) cancel();
    },
  };
}

/** A name that means nothing to this client, or several tools. @throws RpcError */
function refuse(refusal: HttpError, name: string, { server }: Scope): never {
  const { code: _, message, ...help } = errorBody(refusal);
  const told =
    refusal.status === 404 ? `no tool is called ${JSON.stringify(clip(name, nameMax))}` : message;
  // What helps is told by longer names than the client of one server knows.
  if (server !== undefined) badParams(told);
  const data = { code: "usage", ...help } as JsonObject;
  throw new RpcError({ code: invalidParams, message: told, data });
}

/** Characters of a client's own name for a tool. */
const nameMax = 200;

/** @throws RpcError */
function textOf(outcome: Outcome, from: Downstream): Made {
  const { knows } = from;
  if ("result" in outcome && outcome.result !== undefined)
    return { text: resultText(outcome, knows) };
  // Nobody of ours detaches a call.
  if (outcome.status === "detached") throw toRpcError(undefined, from);
  const { error } = outcome as { error: HostError };
  const text = textForModel(error);
  if (text === undefined) throw toRpcError(error, from);
  return { text: ownText({ content: [{ type: "text", text }], isError: true }, knows) };
}
