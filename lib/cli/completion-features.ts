/**
 * Resources, prompts and their arguments as words to complete: names as they were last listed, values as the server
 * suggests them. What suggests is handed in, so that nothing here starts anything.
 */
import type { CompleteRequest } from "../host/feature-types.ts";
import type { Candidate, Completion } from "./completion-types.ts";
import { argumentWords, described } from "./completion-types.ts";
import type { RecalledPrompt, RecalledResource } from "./feature-cache.ts";

/** Asks the server; nothing where it cannot be asked in time. */
export type Suggest = (request: CompleteRequest) => Promise<readonly string[]>;

/** The names as they are shown. Where none of them begins so: the servers' own, and `SERVER.PROMPT`. */
export function promptNames(current: string, prompts: readonly RecalledPrompt[]): Candidate[] {
  const named = (words: (prompt: RecalledPrompt) => string[]) =>
    prompts.flatMap((prompt) =>
      words(prompt).map((word) => described({ word }, prompt.description)),
    );
  const shown = named(({ name }) => [name]);
  if (shown.some(({ word }) => word.startsWith(current))) return shown;
  const sign = current.includes("/") ? "/" : ".";
  return named(({ server, prompt }) => [prompt, `${server}${sign}${prompt}`]);
}

/** `key=` for what is not given yet, required first; `key=value` as the server suggests; files behind `@`. */
export async function promptArguments(
  current: string,
  [name, ...given]: readonly string[],
  prompts: readonly RecalledPrompt[],
  suggest: Suggest,
): Promise<Completion> {
  const prompt =
    prompts.find((one) => one.name === name) ??
    prompts.find(({ server, prompt: own }) =>
      [`${server}.${own}`, `${server}/${own}`].includes(name ?? ""),
    ) ??
    prompts.find((one) => one.prompt === name);
  if (prompt === undefined) return [];
  const equals = current.indexOf("=");
  if (equals > 0) {
    const [key, value] = [current.slice(0, equals), current.slice(equals + 1)];
    if (value.startsWith("@")) return { filesBehind: `${key}=@` };
    const values = await suggest({
      ref: { prompt: `${prompt.server}/${prompt.prompt}` },
      argument: { name: key, value },
      context: contextOf(given),
    });
    return values.map((one) => ({ word: `${key}=${one.startsWith("@") ? "@" : ""}${one}` }));
  }
  const used = new Set(Object.keys(contextOf(given)));
  return prompt.arguments
    .filter((argument) => !used.has(argument.name))
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .map((argument) => {
      const words = argumentWords(argument.required, argument.description ?? "");
      return described({ word: `${argument.name}=` }, words);
    });
}

/**
 * URIs as `resources` shows them (with their server where there are several), else without it; and behind the fixed
 * beginning of a template what the server suggests for its last variable.
 */
export async function resourceUris(
  current: string,
  resources: readonly RecalledResource[],
  suggest: Suggest,
): Promise<Candidate[]> {
  const several = new Set(resources.map(({ server }) => server)).size > 1;
  const listed = (isLong: boolean) =>
    resources.flatMap(({ server, uri, description }) =>
      uri === undefined
        ? []
        : [described({ word: isLong ? `${server}/${uri}` : uri }, description)],
    );
  const shown = listed(several);
  const found = shown.some(({ word }) => word.startsWith(current)) ? shown : listed(!several);
  const had = new Set(found.map(({ word }) => word));
  const open = resources.flatMap(({ server, template = "" }) => {
    const long = current.startsWith(`${server}/`) ? `${server}/` : "";
    const variable = lastVariable(template, current.slice(long.length));
    return variable === undefined ? [] : [{ server, template, long, ...variable }];
  });
  for (const { server, template, long, head, tail, ...request } of open.slice(0, templatesMax)) {
    const ref = { template: `${server}/${template}` };
    const values = await suggest({ ref, ...request });
    const uris = values.map((value) => `${long}${head}${value}${tail}`);
    found.push(...uris.filter((uri) => !had.has(uri)).map((word) => ({ word })));
  }
  return found;
}

// --- internal ---

const templatesMax = 3;

/** What is given as `key=value`. */
function contextOf(words: readonly string[]): Record<string, string> {
  const pairs = words.flatMap((word) => {
    const equals = word.indexOf("=");
    return equals > 0 ? [[word.slice(0, equals), word.slice(equals + 1)] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/**
 * A URI that is being written, read by a template of plain variables (`note://{name}`): its last variable, what stands
 * before and behind that, and the others. Undefined where the URI is not that far, or does not fit.
 */
function lastVariable(template: string, uri: string) {
  const pieces = template.split(/\{(\w+)\}/);
  const fixed = pieces.filter((_, at) => at % 2 === 0);
  const names = pieces.filter((_, at) => at % 2 === 1);
  const [tail, name] = [fixed.at(-1) ?? "", names.at(-1)];
  if (name === undefined || fixed[0] === "" || fixed.some((piece) => /[{}]/.test(piece)))
    return undefined;
  const context: Record<string, string> = {};
  let at = 0;
  for (const [index, piece] of fixed.slice(0, -1).entries()) {
    const found = index === 0 ? (uri.startsWith(piece) ? 0 : -1) : uri.indexOf(piece, at);
    if (found < 0 || (index > 0 && piece === "")) return undefined;
    const before = names[index - 1];
    if (before !== undefined) context[before] = uri.slice(at, found);
    at = found + piece.length;
  }
  const value = uri.slice(at);
  return { head: uri.slice(0, at), tail, argument: { name, value }, context };
}
