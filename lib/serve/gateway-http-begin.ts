/** How a session of a legacy HTTP client begins: `initialize`, and room for it where there is none. */
import { isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Request } from "../protocol/jsonrpc.ts";
import { toRpcError } from "./gateway-errors.ts";
import { negotiated } from "./gateway-greet.ts";
import { ownsAny } from "./gateway-guests.ts";
import { answerText } from "./gateway-messages.ts";
import { refuse } from "./gateway-refuse.ts";
import type { Gateway, Scope } from "./gateway-types.ts";
import { HttpError } from "./http-error.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { ServeContext } from "./types.ts";

export interface Beginning {
  sessions: Sessions;
  gateway: Gateway;
  context: Pick<ServeContext, "guests">;
}

/** The answer to `initialize`, with the id of the session. @throws HttpError 503; HostError with `facts.busy` */
export async function beginSession(
  { id, params = {} }: Request,
  scope: Scope,
  { sessions, gateway, context }: Beginning,
): Promise<Response> {
  const session = sessions.create(scope, negotiated(params));
  if (session === undefined)
    throw new HttpError(503, "busy", "all sessions are at work: no more for now", {
      headers: { "retry-after": "5" },
    });
  try {
    const following = await admitted(session, params, { sessions, gateway, context });
    // It may have been ended for another meanwhile.
    if (session.belongings.disposed) following[Symbol.dispose]();
    else session.belongings.use(following);
    const text = answerText(id, await gateway.initialize(session));
    const headers = { "content-type": "application/json", ...sessionHeader(session) };
    return new Response(text, { headers });
  } catch (error) {
    sessions.end(session);
    if (isBusy(error)) throw error;
    return refuse(200, toRpcError(error, session), id);
  }
}

/** What tells a client its session. */
export function sessionHeader({ id }: Session): Record<string, string> {
  return { "mcp-session-id": id };
}

/** The same for who takes nothing but a stream. */
export async function streamed(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  const headers = new Headers(response.headers);
  headers.set("content-type", "text/event-stream");
  const text = `event: message\ndata: ${await response.text()}\n\n`;
  return new Response(text, { status: response.status, headers });
}

// --- internal ---

/** One that is quiet, of the same owner where others are there, makes room for who needs servers of its own. @throws HostError as of the gateway */
async function admitted(
  session: Session,
  params: JsonObject,
  { sessions, gateway, context: { guests } }: Beginning,
): Promise<Disposable> {
  try {
    return await gateway.admit(session, params);
  } catch (error) {
    const { owner } = session.scope;
    const isFull = guests.size >= guests.max;
    const quiet = sessions.quiet(({ guest, scope }) => {
      const mayGo = isFull || scope.owner === owner;
      return mayGo && guest !== undefined && ownsAny(guest.host, scope);
    });
    if (!isBusy(error) || quiet === undefined) throw error;
    sessions.end(quiet);
    await quiet.guest?.[Symbol.asyncDispose]();
    return await gateway.admit(session, params);
  }
}

function isBusy(error: unknown): boolean {
  return isHostError(error) && error.facts["busy"] === true;
}
