/** One tool call, as one request; what is known of tasks is loaded where one is wanted or comes. */
import { HostError, isHostError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { About } from "../transport/peer-request.ts";
import { send } from "./exchange.ts";
import type { Line } from "./line.ts";
import { signalOf } from "./request-more.ts";
import { ReplyExchange, request } from "./request.ts";
import type { TaskContext } from "./tasks-context.ts";
import type { Caller, CallOptions, CallReply, Reply, RequestOptions, TaskWish } from "./types.ts";

/** As `McpClient.callTool`. */
export function callTool(
  line: Line,
  tool: string,
  args: JsonObject,
  options: CallOptions,
): Promise<CallReply> {
  const { promise, resolve: answered, reject: failed } = Promise.withResolvers<CallReply>();
  const sent = () => options.onSent?.();
  askTool(line, { name: tool, arguments: args }, options, { sent, answered, failed });
  return promise;
}

/** As `McpClient.askTool`. */
export function askTool(
  line: Line,
  params: CallParams,
  options: CallOptions,
  caller: Caller,
): void {
  const { task } = options;
  if (task === undefined) send(new CallExchange(line, params, options, caller));
  else askAsTask(line, params, { ...options, task }, caller);
}

export const tasks = () => import("./tasks.ts");

export function taskLine(line: Line): TaskContext {
  return { ...line, client: line.client() };
}

// --- internal ---

interface CallParams extends JsonObject {
  name: string;
  arguments: JsonObject;
}

class CallExchange extends ReplyExchange {
  readonly #caller: Caller;

  constructor(line: Line, params: CallParams, options: CallOptions, caller: Caller) {
    super(line, "tools/call", params, options);
    this.#caller = caller;
  }

  get about(): About {
    return aboutCall((this.own as CallParams).name);
  }

  override handedOver(): void {
    this.#caller.sent();
  }

  protected completed(reply: Reply): void {
    const { line } = this;
    const { isError } = reply.result;
    if (isError !== undefined && typeof isError !== "boolean")
      reply.result.isError = meansError(isError);
    if (line.codec.era === "legacy" || reply.result.resultType !== "task")
      this.#caller.answered(reply);
    else tell(this.#caller, followed(reply, line, this.options));
  }

  protected rejected(error: unknown): void {
    this.#caller.failed(lossOf(error));
  }
}

/** What a server means by an `isError` that is no boolean: an error may not look like success. */
function meansError(value: Json): boolean {
  return typeof value === "string" ? !/^(?:false|no|0|)$/i.test(value) : Boolean(value);
}

function tell(caller: Caller, replying: Promise<CallReply>): void {
  replying.then(
    (reply) => caller.answered(reply),
    (error: unknown) => caller.failed(error),
  );
}

function aboutCall(tool: string): About {
  return { label: `tools/call of ${tool}`, facts: { tool } };
}

function askAsTask(
  line: Line,
  call: CallParams,
  options: CallOptions & { task: TaskWish },
  caller: Caller,
): void {
  const onSent = () => caller.sent();
  tell(caller, callAsTask(line, call, { ...options, onSent }));
}

async function callAsTask(
  line: Line,
  call: CallParams,
  options: CallOptions & { task: TaskWish },
): Promise<CallReply> {
  const about = aboutCall(call.name);
  const sendCall = (params: JsonObject, more: RequestOptions) =>
    request(line, { method: "tools/call", params, about }, more);
  try {
    const room = await tasks();
    return await room.callAsTask({ call, send: sendCall }, taskLine(line), lasting(options));
  } catch (error) {
    throw lossOf(error);
  }
}

/** A task that the server made of a call by itself. */
async function followed(reply: Reply, line: Line, options: CallOptions): Promise<CallReply> {
  try {
    return await (await tasks()).followCall(reply, taskLine(line), lasting(options));
  } catch (error) {
    throw lossOf(error);
  }
}

/** Options of what takes several requests, some of them at a time. */
function lasting<Options extends CallOptions>(options: Options): Omit<Options, "cancel"> {
  const signal = signalOf(options);
  const { cancel: _, ...others } = options;
  return { ...others, ...(signal && { signal }) };
}

/** A link that was lost after a call was sent leaves open whether the call happened. */
function lossOf(error: unknown): unknown {
  if (!isHostError(error) || error.code !== "server_exit" || error.facts.sent !== true)
    return error;
  const text = `${error.message}: it may or may not have been done`;
  return new HostError("uncertain", text, {
    facts: error.facts,
    hint: "find out whether it was done before you call it again",
    cause: error,
  });
}
