/**
 * `/calls/ID/approve`, `/reject`, `/acknowledge` and `/grants`: deciding about the caller's own calls, wherever they wait. All
 * of it needs a token, on loopback too: a hosted server that reaches the port decides about nothing.
 */
import { isHostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { acknowledge, approve, reject, revoke } from "../host/deciding.ts";
import type { Deciding } from "../host/deciding.ts";
import type { Store } from "../store/store.ts";
import type { Always, Approval, Grant } from "../store/types.ts";
import { HttpError } from "./http-error.ts";
import type { Exchange, Face, Route, ServeContext } from "./types.ts";

export const approvalRoutes: Face = (context) => {
  const deciding = (
    path: string,
    handle: (asked: { store: Store; told: Deciding; body: JsonObject }) => Promise<unknown>,
  ): Route => ({
    method: "POST",
    path,
    decides: true,
    async handle(exchange) {
      const body = await bodyOf(exchange);
      const store = await storeOf(context);
      return Response.json(await found(handle({ store, told: toldBy(exchange), body })));
    },
  });
  return [
    deciding("/calls/:id/approve", async ({ store, told, body }) =>
      shown(await approve(store, told, { arguments: argumentsIn(body), always: alwaysIn(body) })),
    ),
    deciding("/calls/:id/reject", async ({ store, told, body }) =>
      shown(await reject(store, told, textIn(body, "reason"))),
    ),
    deciding("/calls/:id/acknowledge", async ({ store, told, body }) => {
      const reason = textIn(body, "reason");
      await acknowledge(store, told, reason === "" ? "acknowledged" : `acknowledged: ${reason}`);
      return { id: told.id, status: "acknowledged" };
    }),
    {
      method: "GET",
      path: "/grants",
      decides: true,
      async handle({ caller }) {
        const grants = await (await storeOf(context)).grants.list(caller.owner);
        return Response.json(grants.map(shownGrant));
      },
    },
    {
      method: "DELETE",
      path: "/grants/:id",
      decides: true,
      async handle(exchange) {
        const told = toldBy(exchange);
        await found(revoke(await storeOf(context), told));
        return Response.json({ id: told.id, status: "revoked" });
      },
    },
  ];
};

// --- internal ---

async function storeOf({ approvals }: ServeContext): Promise<Store> {
  if (approvals !== undefined) return await approvals.store();
  throw new HttpError(404, "not_found", "nothing is kept here that could be decided about");
}

function toldBy({ caller, params }: Exchange): Deciding {
  return { owner: caller.owner, id: params["id"] ?? "", by: "http" };
}

/** What is not there, or another's, is 404; what cannot be decided any more 409. */
async function found<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isHostError(error)) throw error;
    const { code, message, facts } = error;
    if (code === "usage" && facts["problems"] !== undefined)
      throw new HttpError(400, "bad_request", message, { facts: { problems: facts["problems"] } });
    if (code === "usage")
      throw new HttpError(404, "not_found", "there is no such call or grant to decide about");
    if (code === "denied")
      throw new HttpError(409, "conflict", message, { facts: { status: facts["state"] } });
    throw error;
  }
}

async function bodyOf(exchange: Exchange): Promise<JsonObject> {
  if (exchange.request.body === null) return {};
  const body = await exchange.json();
  if (isObject(body)) return body;
  throw bad("the body must be an object");
}

function argumentsIn({ arguments: args }: JsonObject): JsonObject | undefined {
  if (args === undefined || args === null) return undefined;
  if (isObject(args)) return args;
  throw bad('"arguments" must be an object');
}

const kinds = ["tool", "arguments", "server", "session"] as const;

/** `true` is the tool. @throws HttpError 400 */
function alwaysIn({ always, forMs }: JsonObject): Always | undefined {
  const isTime = forMs === undefined || (typeof forMs === "number" && forMs > 0);
  if (!isTime) throw bad('"forMs" must be a number of milliseconds');
  if (always === undefined || always === null || always === false) {
    if (forMs === undefined) return undefined;
    throw bad('"forMs" needs "always"');
  }
  const what = always === true ? "tool" : kinds.find((kind) => kind === (always as Json));
  if (what === undefined) throw bad(`"always" must be true, or one of ${kinds.join(", ")}`);
  return { what, ...(typeof forMs === "number" && { forMs }) };
}

function textIn(body: JsonObject, name: string): string {
  const value = body[name] ?? "";
  if (typeof value === "string") return value;
  throw bad(`"${name}" must be a string`);
}

function bad(message: string): HttpError {
  return new HttpError(400, "bad_request", message);
}

function shown({ id, state, effective, decidedBy, reason }: Approval) {
  return { id, status: state, arguments: effective, decidedBy, reason };
}

function shownGrant({ createdAt, expiresAt, definitions, ...grant }: Grant) {
  return {
    ...grant,
    tools: Object.keys(definitions),
    createdAt: new Date(createdAt).toISOString(),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
