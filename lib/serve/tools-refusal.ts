/** Calls that came to nothing because of the request itself: unknown, ambiguous or denied tools. Pure. */
import { shorten } from "../base/clip.ts";
import type { HostError } from "../base/errors.ts";
import type { Outcome } from "../hooks/call.ts";
import { errorBody, HttpError, toHttpError } from "./http-error.ts";
import type { Caller } from "./types.ts";

/** What a caller may know of. */
type Sees = Pick<Caller, "allows">;

/**
 * The refusal that an outcome is, or undefined: 404 for a name that means nothing to this caller, 400 for one that means
 * several tools, 403 for a tool that a rule denies, 503 for one whose server has too much to do. Names of tools that the caller may not see stand in none of them.
 * @param isKnown the name was found to mean a tool
 */
export function refusalOf(
  { error, status }: Outcome,
  { name, caller, isKnown }: { name: string; caller: Sees; isKnown: boolean },
): HttpError | undefined {
  if (error?.facts["busy"] === true) return toHttpError(error);
  if (error === undefined || isKnown) return undefined;
  const { facts } = error;
  if (error.code === "usage" && Array.isArray(facts.candidates)) return ambiguous(error, caller);
  if (error.code === "usage") return unknown(name, error, caller);
  if (status !== "denied") return undefined;
  const { server, tool } = facts;
  if (server !== undefined && tool !== undefined)
    if (!caller.allows([tool, name, `${server}.${tool}`, `${server}/${tool}`]))
      return unknown(name, error, caller);
  return toHttpError(error);
}

/** A refusal in llama-server's shape, and beside it in `error` as everywhere else. */
export function llamaRefusal(error: HttpError, redact: (text: string) => string): Response {
  const { status, message, options } = error;
  const type = llamaType(status);
  const body = { code: status, message, type, error: { ...errorBody(error), type } };
  const headers = { "content-type": "application/json;charset=utf-8", ...options.headers };
  return new Response(redact(JSON.stringify(body)), { status, headers });
}

// --- internal ---

/** llama-server's own words for a status. */
function llamaType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 404) return "not_found_error";
  if (status === 503) return "unavailable_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

function unknown(name: string, { facts }: HostError, caller: Sees): HttpError {
  const shown = shorten(name, 200);
  const near = Array.isArray(facts.nearest) ? facts.nearest.filter(isVisible(caller)) : [];
  return new HttpError(404, "not_found", `unknown tool ${JSON.stringify(shown)}`, {
    ...(near.length > 0 && { facts: { nearest: near } }),
    hint:
      near.length > 0
        ? `did you mean ${near.join(" or ")}?`
        : "GET /tools lists those that there are",
  });
}

function ambiguous({ facts }: HostError, caller: Sees): HttpError {
  const all = Array.isArray(facts.candidates) ? facts.candidates : [];
  const candidates = all.filter(isVisible(caller));
  const text = `${JSON.stringify(facts.tool)} is a tool of several servers`;
  return new HttpError(400, "bad_request", text, {
    facts: { candidates },
    // With a dot they fit into a path, too.
    ...(candidates.length > 0 && {
      hint: `say which: ${candidates.map((name) => name.replace("/", ".")).join(", ")}`,
    }),
  });
}

/** By that one name, which may be of the form SERVER/TOOL. */
function isVisible({ allows }: Sees) {
  return (name: unknown): name is string => {
    if (typeof name !== "string") return false;
    const slash = name.indexOf("/");
    const tool = slash < 0 ? [] : [name.slice(slash + 1), name.replace("/", ".")];
    return allows([name, ...tool]);
  };
}
