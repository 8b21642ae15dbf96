/**
 * Requests over HTTP: each is an exchange of its own, from its POST until its answer is handed on. One that fails is handed
 * on as that, and takes no other with it.
 */
import type { Request } from "../protocol/jsonrpc.ts";
import { readResponse } from "./http-answer.ts";
import type { Exchanges } from "./http-exchanges.ts";
import { strayHeaders } from "./http-session.ts";
import type { Goodbyes, HttpSession } from "./http-session.ts";
import type { Exchange, Link } from "./http-types.ts";

/** What an exchange needs. */
export interface AskOptions {
  link: Link;
  session: HttpSession;
  goodbyes: Goodbyes;
  exchanges: Exchanges;
}

/** One that nothing was sent of. `hadSession`: it is to carry a session id. */
export function newExchange(message: Request, isModern: boolean, hadSession: boolean): Exchange {
  const ending = new AbortController();
  return { id: message.id, message, isModern, hadSession, ending, isAnswered: false };
}

/** Runs one to its end. Never throws. */
export async function ask(
  exchange: Exchange,
  init: RequestInit,
  { link, session, goodbyes, exchanges }: AskOptions,
): Promise<void> {
  const { id, ending, isModern, message } = exchange;
  exchanges.add(exchange);
  try {
    const response = await link.fetch(init);
    const { headers, ok } = response;
    const stray = isModern ? strayHeaders(headers) : undefined;
    if (stray !== undefined) goodbyes.say(stray);
    else if (message.method === "initialize" && ok) session.begin(headers);
    else if (!isModern) session.check(headers);
    await readResponse(response, exchange, link);
  } catch (error) {
    ending.abort();
    const { brokenError } = await import("./http-errors.ts");
    const failed = { id, error: brokenError(error, link.options.name, message.method) };
    void link.take([{ failed }]);
  } finally {
    exchanges.remove(exchange);
  }
}
