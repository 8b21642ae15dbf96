/** What a client takes, by its `Accept` (RFC 9110, 12.5.1). Pure. */

type Type = "application/json" | "text/event-stream";

/** Whether a client takes answers of a type. One that sends no `Accept` takes what comes. */
export function accepts(accept: string | null, type: Type): boolean {
  // As most say it.
  if (accept === null || accept === "application/json, text/event-stream") return true;
  return accept.includes(";") ? isWanted(accept.toLowerCase(), type) : ranges[type].test(accept);
}

/** What an answer may come as. */
export type Form = "any" | "json" | "stream" | "none";

/** Clients have to take both forms, and many say that they take one alone. */
export function formOf(accept: string | null): Form {
  const isStream = accepts(accept, "text/event-stream");
  if (accepts(accept, "application/json")) return isStream ? "any" : "json";
  return isStream ? "stream" : "none";
}

// --- internal ---

const ranges = {
  "application/json": /application\/(json|\*)|\*\/\*/i,
  "text/event-stream": /text\/(event-stream|\*)|\*\/\*/i,
};
const refused = /^q\s*=\s*0(\.0*)?$/;

/** Of the ranges that hold the type the narrowest says so. */
function isWanted(accept: string, type: Type): boolean {
  const wider = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  let isAccepted = false;
  for (const one of accept.split(",")) {
    const [range = "", ...parameters] = one.split(";").map((part) => part.trim());
    const at = wider.indexOf(range);
    if (at < 0) continue;
    isAccepted = !parameters.some((part) => refused.test(part));
    wider.length = at;
  }
  return isAccepted;
}
