/** What a module's user asks of a host beside calls, checked before it is used. The command line does not come through here. */
import { isObject } from "../base/json.ts";
import {
  faultOf,
  isFunction,
  isText,
  isTextList,
  needed,
  optional,
  signalRow,
  timeoutRow,
} from "./check-request.ts";
import type { Fits, Row } from "./check-request.ts";
import type { Features } from "./feature-types.ts";
import type { Lasting } from "./lasting-types.ts";

type Guarded = Features & Pick<Lasting, "subscribe">;

/** The same features, for anybody: a request that is none rejects with `usage`. */
export function guardedFeatures(host: Guarded): Guarded {
  return {
    resources: checked("resources", host.resources, listRows),
    prompts: checked("prompts", host.prompts, listRows),
    read: checked("read", host.read, [needed("uri", isName, "a URI"), ...waitRows]),
    prompt: checked("prompt", host.prompt, [
      needed("prompt", isName, "the name of a prompt"),
      optional("arguments", isTexts, texts),
      ...waitRows,
    ]),
    complete: checked("complete", host.complete, [
      needed("ref", isReference, 'an object { prompt: "…" } or { template: "…" }'),
      needed("argument", isArgument, 'an object { name: "…", value: "…" }'),
      optional("context", isTexts, texts),
      ...waitRows,
    ]),
    subscribe: checked("subscribe", host.subscribe, [
      optional("server", isName, "the name of a server"),
      optional("lists", isListNames, `an array of ${listNames.join(", ")}`),
      optional("uris", isTextList, "an array of URIs"),
      needed("onUpdate", isFunction, "a function"),
      optional("onOpen", isFunction, "a function"),
      signalRow,
    ]),
  };
}

// --- internal ---

const texts = "an object whose values are strings";
const listNames: readonly unknown[] = ["tools", "prompts", "resources"];

const isName: Fits = (value) => isText(value) && value !== "";
const isTexts: Fits = (value) => isObject(value) && Object.values(value).every(isText);
const isListNames: Fits = (value) =>
  Array.isArray(value) && value.every((name) => listNames.includes(name));
const isReference: Fits = (value) =>
  isObject(value) && isName(value["prompt"] ?? value["template"]);
const isArgument: Fits = (value) =>
  isObject(value) && isName(value["name"]) && isText(value["value"]);

const waitRows: readonly Row[] = [signalRow, timeoutRow];

const listRows: readonly Row[] = [
  optional("servers", isTextList, "an array of names of servers"),
  signalRow,
];

/** A request may be left out where each of its keys may. */
function checked<Request, Answer>(
  method: string,
  work: (request: Request) => Promise<Answer>,
  rows: readonly Row[],
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const error = faultOf(method, request ?? {}, rows);
    if (error !== undefined) throw error;
    return await work(request);
  };
}
