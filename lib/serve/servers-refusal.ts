/** Why a server may not be changed, as an answer: by whose it is, and by what an edit of the file comes to. Pure. */
import { isHostError } from "../base/errors.ts";
import type { EditProblem, ServerEdit } from "../config/edit.ts";
import type { Origin } from "../config/origin.ts";
import type { Config } from "../config/types.ts";
import { errorBody, HttpError, toHttpError } from "./http-error.ts";

/** @throws HttpError 409 where the server stands elsewhere: beside it, an entry in our file would not count, or hide it */
export function mustBeIn(
  target: Origin,
  edit: ServerEdit,
  { servers, bad }: Pick<Config, "servers" | "bad">,
): void {
  const known = [...servers, ...bad].find(({ name }) => name === edit.name);
  if (known === undefined || known.origin.file === target.file) return;
  const { file, label } = known.origin;
  const where = file === undefined ? `was given by ${label}` : `stands in ${label}`;
  const why = file === undefined ? "what stands in no file" : "that file";
  throw new HttpError(409, "conflict", `server "${edit.name}" ${where}`, {
    facts: { server: edit.name },
    hint: `${why} is not changed from here`,
  });
}

/** The answer to an edit that came to nothing. */
export function toEditError(error: unknown): unknown {
  if (!isHostError(error) || (error.code !== "usage" && error.code !== "config")) return error;
  const problem = error.facts["problem"] as EditProblem | undefined;
  const { revision } = error.facts as { revision?: string };
  const [status, code] = (problem && answers[problem]) ?? ([409, "config"] as const);
  const { code: _code, message, hint = problem && hints[problem], ...facts } = errorBody(error);
  return new HttpError(status, code, message, {
    facts: { ...facts, ...(revision !== undefined && { revision }) },
    ...(revision !== undefined && { headers: { etag: `"${revision}"` } }),
    ...(hint !== undefined && { hint }),
  });
}

/** A config that cannot be read is nothing that the request did wrong. */
export function conflictOf(error: unknown): unknown {
  if (!isHostError(error)) return error;
  const { code, message, options } = toHttpError(error);
  return new HttpError(409, code, message, options);
}

// --- internal ---

/** What to do, where the error does not say it. */
const hints: { readonly [Problem in EditProblem]?: string } = {
  missing: "GET /servers lists those that there are",
  exists: "PATCH /servers/NAME changes it",
  stale: "look again: the ETag of GET /servers is its revision now",
};

const answers: Readonly<Record<EditProblem, readonly [number, HttpError["code"]]>> = {
  entry: [400, "bad_request"],
  missing: [404, "not_found"],
  exists: [409, "conflict"],
  file: [409, "conflict"],
  stale: [409, "conflict"],
};
