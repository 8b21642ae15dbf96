/** Resources, prompts and completion through the gateway: what clients name, found on its server, and hidden where it is not theirs. */
import { isHostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { CompletionRequest } from "../client/completion.ts";
import type { InputRound } from "../client/types.ts";
import type { HostAnswer, ReadRequest } from "../host/feature-types.ts";
import type { OpenedHost, Owned } from "../host/opened-types.ts";
import { namesOf, withServer } from "./gateway-entries.ts";
import { badParams } from "./gateway-errors.ts";
import type { Links } from "./gateway-links.ts";
import { locate } from "./gateway-locate.ts";
import type { Logs } from "./gateway-logs.ts";
import { onwardMeta } from "./gateway-meta.ts";
import { progressOf } from "./gateway-progress.ts";
import { ownText, resultText, wholeResult } from "./gateway-results.ts";
import type { Made, Question } from "./gateway-types.ts";
import { givenArguments } from "./given-arguments.ts";

export interface FeatureContext {
  /** What all clients have in common. */
  host: OpenedHost;
  logs: Logs;
  links: Links;
}

/** `resources/read`. @throws RpcError, HostError */
export async function readResource(
  question: Question,
  { logs, links, ...common }: FeatureContext,
  rounds?: InputRound,
): Promise<Made> {
  const { params, from, signal } = question;
  const { host } = from.guest ?? common;
  const { server, uri } = await locate(host, params.uri, { links, scope: from.scope, signal });
  using _flight = logs.flight({ question, server });
  const answer = await host.read({ uri: `${server}/${uri}`, ...waitsOf(question, rounds) });
  if (answer.isInput) return { input: answer };
  return resultText(asAsked(answer, uri, params.uri), from.knows, { shape: "read", kept: true });
}

/** `prompts/get`. @throws RpcError, HostError */
export async function getPrompt(
  question: Question,
  { logs, links, ...common }: FeatureContext,
  rounds?: InputRound,
): Promise<Made> {
  const { params, from } = question;
  const { name } = params;
  const args = givenArguments(params.arguments);
  const { host } = from.guest ?? common;
  if (typeof name !== "string") badParams("prompts/get needs the name of a prompt");
  if (!isTexts(args)) badParams("the arguments of a prompt are strings");
  const { server, own } = await ownerOf({ prompt: name }, question, host);
  using _flight = logs.flight({ question, server });
  const prompt = `${server}/${own}`;
  const answer = await host
    .prompt({ prompt, arguments: args, ...waitsOf(question, rounds) })
    .catch((error: unknown) => sayOf(name, error, question));
  if (answer.isInput) return { input: answer };
  links.note(answer, server);
  return resultText(answer, from.knows, { shape: "prompt" });
}

/** The server of a resource. @throws as `locate` */
export async function serverOfResource(
  { params, from, signal }: Question,
  { host, links }: Pick<FeatureContext, "host" | "links">,
): Promise<string> {
  return (await locate(host, params.uri, { links, scope: from.scope, signal })).server;
}

/** The server of a prompt; undefined where nobody knows it, which the request for it then tells. */
export async function serverOfPrompt(
  { params: { name }, from, signal }: Question,
  host: OpenedHost,
): Promise<string | undefined> {
  if (from.scope.server !== undefined || typeof name !== "string") return from.scope.server;
  try {
    return (await host.ownerOf({ prompt: name }, signal)).server;
  } catch {
    return undefined;
  }
}

/** `completion/complete`. @throws RpcError, HostError */
export async function complete(
  question: Question,
  { logs, ...common }: Pick<FeatureContext, "host" | "logs">,
): Promise<string> {
  const { params, from } = question;
  const { host } = from.guest ?? common;
  const { ref, argument, context } = params;
  if (!isObject(ref) || !isObject(argument)) badParams("completion needs a ref and an argument");
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string")
    badParams("the argument of a completion has a name and a value, both strings");
  const known = isObject(context) ? context.arguments : undefined;
  const { server, own } = await ownerOf(refOf(ref), question, host);
  using _flight = logs.flight({ question, server });
  const named = `${server}/${own}`;
  const asked = host.complete({
    ref: ref.type === "ref/prompt" ? { prompt: named } : { template: named },
    argument: { name, value },
    ...(isTexts(known) && { context: known }),
    ...waitsOf(question),
  });
  const { answer, ...completion } = await asked.catch((error) => sayOf(own, error, question));
  if (answer === undefined) return ownText({ completion }, from.knows);
  const given = { result: answer.result, raw: answer.raw() };
  return resultText(given, from.knows, { shape: "completion" });
}

// --- internal ---

type Ref = CompletionRequest["ref"];

function waitsOf(question: Question, rounds?: InputRound): Omit<ReadRequest, "uri"> {
  const { signal, from, params } = question;
  const meta = onwardMeta(params);
  const answers = from.guest?.answersOn?.(question);
  const onProgress = progressOf(question);
  return {
    signal,
    ...(answers && { answers }),
    ...(rounds && { rounds }),
    ...(meta && { meta }),
    ...(onProgress && { onProgress }),
    ...(from.logLevel && { logLevel: from.logLevel }),
  };
}

/** @throws RpcError -32602 */
function hidden(what: string, name: string): never {
  badParams(`no ${what} is called ${JSON.stringify(name)}`);
}

/** What the host says of a prompt: by no longer name than the client of one server knows. @throws RpcError, and the error */
function sayOf(name: string, error: unknown, { from: { scope } }: Question): never {
  if (scope.server === undefined || !isHostError(error) || error.code !== "usage") throw error;
  const { missing, nearest } = error.facts;
  if (nearest !== undefined) hidden("prompt", name);
  if (!Array.isArray(missing)) throw error;
  badParams(`${name}: ${missing.map((one) => `argument ${one} is required`).join("; ")}`);
}

/** The contents under the URI that the client knows them by, where that is not the server's own. */
function asAsked(
  answer: HostAnswer,
  own: string,
  asked: Json | undefined,
): { result: JsonObject; raw: string } {
  if (own === asked) return answer;
  const whole = wholeResult(answer.result, answer.raw);
  if (!Array.isArray(whole.contents)) return answer;
  const renamed = whole.contents.map((one) =>
    isObject(one) && one.uri === own && asked !== undefined ? { ...one, uri: asked } : one,
  );
  const result = { ...whole, contents: renamed };
  return { result, raw: JSON.stringify(result) };
}

/** Where a prompt or a template is, for who asks. @throws RpcError, HostError */
async function ownerOf(
  ref: Ref,
  { from: { scope }, signal }: Question,
  host: OpenedHost,
): Promise<Owned> {
  const { server, allows } = scope;
  const [what, asked] =
    "prompt" in ref ? ["prompt", ref.prompt] : ["resource template", ref.template];
  let found: Owned;
  try {
    found =
      server === undefined
        ? await host.ownerOf("prompt" in ref ? ref : { template: withServer(asked) }, signal)
        : { server, own: asked, name: asked };
  } catch (error) {
    // The nearest names are for those who may see everything.
    if (allows([""])) throw error;
    hidden(what, asked);
  }
  if (!allows(namesOf(found.server, found.own, found.name))) hidden(what, asked);
  return found;
}

/** @throws RpcError -32602 */
function refOf({ type, name, uri }: JsonObject): Ref {
  if (type === "ref/prompt" && typeof name === "string") return { prompt: name };
  if (type === "ref/resource" && typeof uri === "string") return { template: uri };
  badParams("the ref of a completion is a ref/prompt with a name, or a ref/resource with a uri");
}

function isTexts(value: Json | undefined): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}
