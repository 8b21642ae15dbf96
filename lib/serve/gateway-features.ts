/** Resources, prompts and completion through the gateway: what clients name, found on its server, and hidden where it is not theirs. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { InputRound } from "../client/types.ts";
import type { HostAnswer, ReadRequest } from "../host/feature-types.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { namesOf, withServer } from "./gateway-entries.ts";
import { badParams } from "./gateway-errors.ts";
import type { Links } from "./gateway-links.ts";
import { locate } from "./gateway-locate.ts";
import type { Logs } from "./gateway-logs.ts";
import { onwardMeta } from "./gateway-meta.ts";
import { progressOf } from "./gateway-progress.ts";
import { ownText, resultText, wholeResult } from "./gateway-results.ts";
import type { Made, Question, Scope } from "./gateway-types.ts";

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
  const { params, from, signal } = question;
  const { name } = params;
  const args = params.arguments ?? {};
  const { scope, knows } = from;
  const { host } = from.guest ?? common;
  if (typeof name !== "string") badParams("prompts/get needs the name of a prompt");
  if (!isTexts(args)) badParams("the arguments of a prompt are strings");
  const prompt = await promptFor(host, name, scope, signal);
  using _flight = logs.flight({ question, server: scope.server });
  const answer = await host.prompt({ prompt, arguments: args, ...waitsOf(question, rounds) });
  if (answer.isInput) return { input: answer };
  links.note(answer, answer.server);
  return resultText(answer, knows, { shape: "prompt" });
}

/** The server of a resource. @throws as `locate` */
export async function serverOfResource(
  { params, from, signal }: Question,
  { host, links }: Pick<FeatureContext, "host" | "links">,
): Promise<string> {
  return (await locate(host, params.uri, { links, scope: from.scope, signal })).server;
}

/** The server of a prompt; undefined where nobody knows it. @throws HostError */
export async function serverOfPrompt(
  { params: { name }, from, signal }: Question,
  host: OpenedHost,
): Promise<string | undefined> {
  if (from.scope.server !== undefined) return from.scope.server;
  const { prompts } = await host.prompts({ signal });
  return prompts.find((one) => one.name === name)?.server;
}

/** `completion/complete`. @throws RpcError, HostError */
export async function complete(question: Question, host: OpenedHost): Promise<string> {
  const { params, from, signal } = question;
  const { ref, argument, context } = params;
  const { scope, knows } = from;
  if (!isObject(ref) || !isObject(argument)) badParams("completion needs a ref and an argument");
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string")
    badParams("the argument of a completion has a name and a value, both strings");
  const known = isObject(context) ? context.arguments : undefined;
  const { answer, ...completion } = await host.complete({
    ref: await refFor(ref, host, { scope, signal }),
    argument: { name, value },
    ...(isTexts(known) && { context: known }),
    ...waitsOf(question),
  });
  if (answer === undefined) return ownText({ completion }, knows);
  return resultText({ result: answer.result, raw: answer.raw() }, knows, { shape: "completion" });
}

// --- internal ---

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
  };
}

/** @throws RpcError -32602 */
function hidden(what: string, name: string): never {
  badParams(`no ${what} is called ${JSON.stringify(name)}`);
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

async function promptFor(
  host: OpenedHost,
  name: string,
  { server, allows }: Scope,
  signal: AbortSignal,
): Promise<string> {
  if (server !== undefined) {
    if (!allows(namesOf(server, name))) hidden("prompt", name);
    return `${server}/${name}`;
  }
  // Whoever may see what has no name may see everything.
  if (allows([""])) return name;
  const { prompts } = await host.prompts({ signal });
  const found = prompts.find((one) => one.name === name);
  if (found === undefined || !allows(namesOf(found.server, found.prompt, found.name)))
    hidden("prompt", name);
  return name;
}

async function refFor(
  ref: JsonObject,
  host: OpenedHost,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<{ prompt: string } | { template: string }> {
  if (ref.type === "ref/prompt" && typeof ref.name === "string")
    return { prompt: await promptFor(host, ref.name, scope, signal) };
  if (ref.type !== "ref/resource" || typeof ref.uri !== "string")
    badParams("the ref of a completion is a ref/prompt with a name, or a ref/resource with a uri");
  const { server, allows } = scope;
  if (server !== undefined) {
    if (!allows(namesOf(server, ref.uri))) hidden("resource template", ref.uri);
    return { template: `${server}/${ref.uri}` };
  }
  const asked = withServer(ref.uri);
  if (allows([""])) return { template: asked };
  const { templates } = await host.resources({ signal });
  for (const { server: of, uriTemplate: own } of templates)
    if ((asked === own || asked === `${of}/${own}`) && allows(namesOf(of, own)))
      return { template: `${of}/${own}` };
  return hidden("resource template", ref.uri);
}

function isTexts(value: Json | undefined): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}
