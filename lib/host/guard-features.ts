/** What a module's user asks of a host beside calls, checked before it is used. The command line does not come through here. */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { kindOf } from "../config/problems.ts";
import type { Features } from "./feature-types.ts";

/** The same features, for anybody: a request that is none rejects with `usage`. */
export function guardedFeatures(host: Features): Features {
  return {
    resources: checked("resources", host.resources, listRows),
    prompts: checked("prompts", host.prompts, listRows),
    read: checked("read", host.read, [["uri", isName, "a URI"], ...waitRows]),
    prompt: checked("prompt", host.prompt, [
      ["prompt", isName, "the name of a prompt"],
      ["arguments", optional(isTexts), texts],
      ...waitRows,
    ]),
    complete: checked("complete", host.complete, [
      ["ref", isReference, 'an object { prompt: "…" } or { template: "…" }'],
      ["argument", isArgument, 'an object { name: "…", value: "…" }'],
      ["context", optional(isTexts), texts],
      ...waitRows,
    ]),
  };
}

// --- internal ---

type Fits = (value: unknown) => boolean;
type Row = readonly [key: string, fits: Fits, expected: string];

const texts = "an object whose values are strings";

const optional =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value);

const isText: Fits = (value) => typeof value === "string";
const isName: Fits = (value) => isText(value) && value !== "";
const isTexts: Fits = (value) => isObject(value) && Object.values(value).every(isText);
const isReference: Fits = (value) =>
  isObject(value) && isName(value["prompt"] ?? value["template"]);
const isArgument: Fits = (value) =>
  isObject(value) && isName(value["name"]) && isText(value["value"]);

const signalRow: Row = [
  "signal",
  optional((value) => value instanceof AbortSignal),
  "an AbortSignal",
];

const waitRows: readonly Row[] = [
  signalRow,
  [
    "timeoutMs",
    optional((value) => typeof value === "number" && value >= 0),
    "a number of milliseconds, 0 or more",
  ],
];

const listRows: readonly Row[] = [
  [
    "servers",
    optional((value) => Array.isArray(value) && value.every(isText)),
    "an array of names of servers",
  ],
  signalRow,
];

/** A request may be left out where each of its keys may. */
function checked<Request, Answer>(
  method: string,
  work: (request: Request) => Promise<Answer>,
  rows: readonly Row[],
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const value: unknown = request ?? {};
    if (!isObject(value)) throw wrong(method, "", "an object", request);
    for (const [key, fits, expected] of rows)
      if (!fits(value[key])) throw wrong(method, key, expected, value[key]);
    return await work(request);
  };
}

function wrong(method: string, path: string, expected: string, value: unknown): HostError {
  const found = kindOf(value);
  const at = path === "" ? "" : `${path}: `;
  return new HostError("usage", `host.${method}: ${at}expected ${expected}, found ${found}`, {
    facts: { path, expected, found },
  });
}
