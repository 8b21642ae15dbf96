/** The one place where a call is handed to a client. */
import type { Caller, CallReply, McpClient } from "../client/types.ts";
import type { CallTrack } from "../hooks/call.ts";
import type { CallOptions, ServerCall } from "./server-types.ts";

/** One call, to be sent to whatever client there is by then. */
export interface Sending {
  call: ServerCall;
  options: CallOptions;
}

/** Sends it; `caller` hears how it goes. With headers of its own where it has any. */
export function sendCall(
  client: McpClient,
  { call, options }: Sending,
  caller: Caller,
  headers?: Record<string, string>,
): void {
  const whole = headers === undefined ? options : { ...options, headers };
  if (call.track === undefined) client.askTool(call.tool, call.arguments, whole, caller);
  else void sendWritten(client, { call, options: whole }, caller, call.track);
}

/** The same where its answer is waited for. @throws as a client's call, and what `track` throws: then nothing was sent */
export function replyTo(
  client: McpClient,
  sending: Sending,
  headers?: Record<string, string>,
): Promise<CallReply> {
  const { promise, resolve: answered, reject: failed } = Promise.withResolvers<CallReply>();
  sendCall(client, sending, { sent: () => sending.call.sent(), answered, failed }, headers);
  return promise;
}

// --- internal ---

async function sendWritten(
  client: McpClient,
  { call, options }: Sending,
  caller: Caller,
  track: CallTrack,
): Promise<void> {
  try {
    await track.sending();
  } catch (error) {
    return caller.failed(error);
  }
  client.askTool(call.tool, call.arguments, options, caller);
}
