/**
 * `/calls` and `/calls/ID`: what was called and what runs, for its owner alone. Arguments are shown only to who carries a
 * token or the start key: without one every program of this machine counts as the same owner, hosted servers too.
 */
import { parseJson } from "../base/json.ts";
import type { CallRecord } from "./call-record.ts";
import type { CallBook } from "./calls-book.ts";
import { HttpError, withoutPaths } from "./http-error.ts";
import type { Caller, Exchange, Face } from "./types.ts";

/** `GET /calls` · `GET /calls/ID` · `DELETE /calls/ID`, which needs a token as everything that decides does. */
export const callRoutes: Face = ({ calls: book }) => [
  {
    method: "GET",
    path: "/calls",
    handle({ caller }) {
      const records = book.list(caller.owner);
      return Response.json(records.map((record) => shown(record, caller)));
    },
  },
  {
    method: "GET",
    path: "/calls/:id",
    handle: (exchange) => Response.json(shown(found(book, exchange), exchange.caller)),
  },
  {
    method: "DELETE",
    path: "/calls/:id",
    decides: true,
    handle(exchange) {
      const { id, owner, status } = found(book, exchange);
      if (book.cancel(owner, id))
        return Response.json({ id, status: "cancelling" }, { status: 202 });
      throw new HttpError(409, "conflict", `the call has ended: ${status}`, {
        facts: { call: id, status },
        hint: "GET /calls/ID has what became of it",
      });
    },
  },
];

// --- internal ---

/** @throws HttpError 404, for another owner's call as for one that never was */
function found(book: CallBook, { caller, params }: Exchange): CallRecord {
  const record = book.get(caller.owner, params["id"] ?? "");
  if (record === undefined)
    throw new HttpError(404, "not_found", "there is no such call, or it is forgotten by now");
  return record;
}

function shown(record: CallRecord, { hasToken }: Caller) {
  const { id, owner, actor, name, server, tool, status, startedAt, durationMs, error } = record;
  return {
    id,
    owner,
    actor,
    name,
    server,
    tool,
    status,
    startedAt: new Date(startedAt).toISOString(),
    ...(durationMs !== undefined && { durationMs: Math.round(durationMs * 1000) / 1000 }),
    // Null: they were too large to keep.
    ...(hasToken && { arguments: record.arguments ?? null }),
    ...(hasToken && record.result !== undefined && { result: parseJson(record.result) }),
    ...(error !== undefined && { error: { ...error, message: withoutPaths(error.message) } }),
  };
}
