/** Tool calls of the gateway: through the host's one call path, results byte for byte where the client takes them so. */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Outcome } from "../hooks/call.ts";
import type { OpenedHost, OwnedCallRequest } from "../host/types.ts";
import type { Progress } from "../protocol/mcp.ts";
import { metaPrefix } from "../protocol/meta.ts";
import { badParams, textForModel, toRpcError } from "./gateway-errors.ts";
import type { Flight, Logs } from "./gateway-logs.ts";
import { ownText, resultText } from "./gateway-results.ts";
import type { Downstream, Question } from "./gateway-types.ts";

/** @throws RpcError */
export async function callTool(
  question: Question,
  { host, logs }: { host: OpenedHost; logs: Logs },
): Promise<string> {
  const { params, from, notify } = question;
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") badParams("tools/call needs the name of a tool");
  if (!isObject(args)) badParams("the arguments of a tool are an object");
  const { scope } = from;
  const flight: Flight = { from, notify, server: scope.server };
  const onProgress = progressOf(question);
  const meta = onwardMeta(params);
  logs.begin(flight);
  try {
    const request: OwnedCallRequest = {
      tool: scope.server === undefined ? name : `${scope.server}/${name}`,
      arguments: args,
      actor: "gateway",
      owner: scope.owner,
      admits: scope.allows,
      onCall: ({ server }) => (flight.server = server),
    };
    cancellable(request, question, host);
    if (onProgress !== undefined) request.onProgress = onProgress;
    if (meta !== undefined) request.meta = meta;
    if (from.logLevel !== undefined) request.logLevel = from.logLevel;
    const outcome = await host.call(request);
    return textOf(outcome, name, from);
  } finally {
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

/** Lets a client give its call up: by the call's id where that will do, for signals are dear. */
function cancellable(request: OwnedCallRequest, question: Question, host: OpenedHost): void {
  if (question.onCancel === undefined) {
    request.signal = question.signal;
    return;
  }
  const id = (request.id = crypto.randomUUID());
  const { onCall } = request;
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    host.cancel(id, new HostError("cancelled", "the client cancelled the call"));
  };
  question.onCancel(cancel);
  // What was cancelled before the host had begun it.
  request.onCall = (call) => {
    onCall?.(call);
    if (isCancelled) cancel();
  };
}

/** What speaks of one hop alone (protocol.md 2.6, 4). */
const ofTheHop: ReadonlySet<string> = new Set([
  "progressToken",
  ...["protocolVersion", "clientCapabilities", "clientInfo", "logLevel", "subscriptionId"].map(
    (name) => metaPrefix + name,
  ),
]);

/** What of a client's `_meta` is for the server. */
function onwardMeta({ _meta: meta }: JsonObject): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !ofTheHop.has(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** @throws RpcError */
function textOf(outcome: Outcome, name: string, from: Downstream): string {
  const { scope, knows } = from;
  if ("result" in outcome && outcome.result !== undefined) return resultText(outcome, knows);
  // Nobody of ours detaches a call.
  if (outcome.status === "detached") throw toRpcError(undefined, from);
  const { error } = outcome as { error: HostError };
  const text = textForModel(error);
  // By the name that the client knows: the host knows it by a longer one.
  if (scope.server !== undefined && error.code === "usage" && text === undefined)
    badParams(`no tool is called ${JSON.stringify(name)}`);
  if (text === undefined) throw toRpcError(error, from);
  return ownText({ content: [{ type: "text", text }], isError: true }, knows);
}
