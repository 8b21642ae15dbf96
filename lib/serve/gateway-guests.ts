/**
 * Legacy clients with servers of their own: those that answer what servers ask, and all where a server is to be shared with
 * nobody. What such servers ask goes to their one client, and its answer back, as they are (protocol.md 2.6).
 */
import { settlesWithin } from "../base/async.ts";
import { isObject, withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Answers } from "../client/answer-types.ts";
import type { Notification } from "../protocol/jsonrpc.ts";
import type { Capabilities } from "../protocol/mcp.ts";
import { behindGuest, guestsFull } from "./gateway-behind.ts";
import type { BehindContext } from "./gateway-behind.ts";
import { badParams } from "./gateway-errors.ts";
import type { Logs } from "./gateway-logs.ts";
import { Questions } from "./gateway-questions.ts";
import type { Guest, Legacy, Question, Scope } from "./gateway-types.ts";
import type { Shares } from "./types.ts";
import { weigh } from "./weigh.ts";

export interface GuestsContext extends BehindContext {
  logs: Logs;
  /** How many there may be. */
  guests: Shares;
  greetMs: number;
  answerMs: number | undefined;
}

/**
 * Gives a client that was greeted servers of its own, where it needs any; disposing ends them.
 * @throws HostError `server_start` with `facts.busy`: there are as many such clients as may be; RpcError -32602
 */
export async function admit(
  client: Legacy,
  { capabilities }: JsonObject,
  context: GuestsContext,
): Promise<Disposable | undefined> {
  const { shared, logs } = context;
  const declared = relayed(capabilities);
  if (declared === undefined && !shared.host.keepsApart(client.scope.server)) return undefined;
  await greeted(context);
  const belongings = new DisposableStack();
  if (declared === undefined) client.guest = await openGuest(undefined, client.scope, context);
  else {
    const questions = new Questions(client.aside.ask, context.answerMs);
    const answersFor = (requestOn: (server: string) => Question | undefined): Answers => ({
      relay: {
        capabilities: declared,
        ask: (method, params, { server, signal }) => {
          const request = requestOn(server);
          return questions.ask(method, named(method, withDigits(params)), {
            // Whoever gives the request up gives up what is asked about it.
            signal: request ? AbortSignal.any([signal, request.signal]) : signal,
            on: request?.ask,
            onProgress: (progress) =>
              client.guest?.host.tell(server, "notifications/progress", progress),
          });
        },
      },
    });
    // Of a legacy server it is not known which request it asks for.
    const last = (server: string) => client.guest && logs.last(client.guest, server);
    client.guest = await openGuest(answersFor(last), client.scope, context);
    client.guest.answersOn = (question) => answersFor(() => question);
    client.questions = questions;
    belongings.defer(() => questions.end());
  }
  const { guest } = client;
  belongings.use(logs.hear(guest));
  belongings.use(
    guest.host.onNotice((server, method, params) => {
      if (method === "notifications/elicitation/complete" && declared !== undefined)
        (logs.last(guest, server) ?? client.aside).notify(method, withDigits(params));
    }),
  );
  belongings.defer(() => void guest[Symbol.asyncDispose]());
  return belongings;
}

/** Hears what a client that was taken in says of its own accord. */
export function hear(
  client: Legacy | undefined,
  { method, params = {} }: Pick<Notification, "method" | "params">,
): void {
  const { questions, guest } = client ?? {};
  if (method === "notifications/progress") questions?.progressed(params);
  if (method === "notifications/roots/list_changed") guest?.host.rootsChanged();
  questions?.flush();
}

/** Whether any server that a client is shown is its own: others cost nothing, and are not counted. */
export function ownsAny(
  host: Pick<Guest["host"], "servers" | "owns">,
  { server: only }: Scope,
): boolean {
  const shown = host.servers().filter(({ name }) => only === undefined || name === only);
  return shown.some(({ name }) => host.owns(name));
}

// --- internal ---

/** Servers that are starting may turn out to be such as are shared. */
async function greeted({ shared, greetMs }: GuestsContext): Promise<void> {
  const starting = shared.host.servers().filter(({ state }) => state === "starting");
  if (starting.length === 0) return;
  const servers = starting.map(({ name }) => name);
  await settlesWithin(shared.host.tools({ servers }), greetMs);
}

/** They are kept, and told to each of its servers. */
const capabilitiesMax = 16_384;

/** What a client can that we ask it in the name of servers; undefined where it answers nothing. @throws RpcError -32602 */
function relayed(capabilities: JsonObject[string] | undefined): Capabilities | undefined {
  if (!isObject(capabilities)) return undefined;
  const { sampling, elicitation, roots } = capabilities;
  const declared = {
    ...(isObject(sampling) && { sampling }),
    ...(isObject(elicitation) && { elicitation }),
    ...(isObject(roots) && { roots }),
  };
  if (Object.keys(declared).length === 0) return undefined;
  if (weigh(declared, capabilitiesMax) > capabilitiesMax)
    badParams("the capabilities are too large");
  return declared;
}

/** A visit to a URL has a name for legacy clients; modern servers give it none. */
function named(method: string, params: JsonObject): JsonObject {
  const isVisit = method === "elicitation/create" && params.mode === "url";
  if (!isVisit || params.elicitationId !== undefined) return params;
  return { ...params, elicitationId: crypto.randomUUID() };
}

async function openGuest(
  answers: Answers | undefined,
  scope: Scope,
  context: GuestsContext,
): Promise<Guest> {
  const { shared, guests } = context;
  const host = await shared.host.guest(answers);
  const isCounted = ownsAny(host, scope);
  if (isCounted && !guests.take(scope.owner)) {
    await host[Symbol.asyncDispose]();
    throw guestsFull(guests, 5000);
  }
  const guest = behindGuest(host, context);
  const end = async () => {
    try {
      await guest[Symbol.asyncDispose]();
    } finally {
      if (isCounted) guests.release(scope.owner);
    }
  };
  let ended: Promise<void> | undefined;
  return { ...guest, [Symbol.asyncDispose]: () => (ended ??= end()) };
}
