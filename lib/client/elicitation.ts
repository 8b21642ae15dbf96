/**
 * Elicitation, between the server that asks and whoever answers (protocol.md 1.14): defaults are filled in, an answer that
 * does not fit its form is asked for again and never sent, and a URL that is not safe to open reaches nobody. Loaded when
 * a server first asks.
 */
import { isObject, withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { checkSchema } from "../base/schema.ts";
import { faultsOf, readForm, withDefaults } from "../protocol/form.ts";
import type { Field } from "../protocol/form.ts";
import type { Answerer, AnswerOptions, Asked } from "./answer-types.ts";

/** The answer to a form: `{ action, content? }`, whose content fits. Declined after `triesMax` answers that do not. */
export async function answerForm(params: JsonObject, options: AnswerOptions): Promise<JsonObject> {
  const { elicit } = options.answers;
  if (!elicit) return declined;
  const fields = readForm(withDigits(params).requestedSchema);
  let faults: string[] = [];
  for (let tries = 0; tries < triesMax; tries++) {
    const answer = await ask(elicit, params, { ...options, faults });
    if (answer.action !== "accept") return actionOf(answer) ?? declined;
    if (answer.content !== undefined && !isObject(answer.content)) {
      faults = ["the content of the answer is no object"];
      continue;
    }
    const given = answer.content ?? {};
    const content = answer.done === true ? given : withDefaults(fields, given);
    faults = await faultsIn(content, { fields, schema: params.requestedSchema, options });
    if (faults.length === 0) return { action: "accept", content };
  }
  warn(options, `its form was declined, for no answer fitted it: ${faults.join("; ")}`);
  return declined;
}

/** The answer to a URL: `{ action }`. `accept` says that the person agreed to open it, and no more. */
export async function answerUrl(params: JsonObject, options: AnswerOptions): Promise<JsonObject> {
  return actionOf(await visitUrl(params, options)) ?? declined;
}

/** What is said to a URL, with what is not sent (`done`). */
export async function visitUrl(
  params: JsonObject,
  options: AnswerOptions & Pick<Asked, "completed">,
): Promise<JsonObject> {
  const { elicitUrl, relay } = options.answers;
  if (relay !== undefined) {
    const { name: server, signal } = options;
    return await relay.ask("elicitation/create", { mode: "url", ...params }, { server, signal });
  }
  if (!elicitUrl) return declined;
  const fault = urlFault(params.url);
  if (fault === undefined) return await ask(elicitUrl, params, options);
  warn(options, `the URL that it wants to have opened ${fault}: declined`);
  return declined;
}

// --- internal ---

/** Answers to one form: a person mistypes, a program that errs twice errs for ever. */
const triesMax = 3;

const declined: JsonObject = { action: "decline" };

async function ask(
  answerer: Answerer,
  params: JsonObject,
  { name, signal, faults, completed }: AnswerOptions & Pick<Asked, "faults" | "completed">,
): Promise<JsonObject> {
  const asked: Asked = { server: name, signal };
  if (faults !== undefined && faults.length > 0) asked.faults = faults;
  if (completed !== undefined) asked.completed = completed;
  const answer = await answerer(params, asked);
  return isObject(answer) ? answer : {};
}

/** The action alone: nothing else belongs to it but `_meta`. */
function actionOf({ action, _meta }: JsonObject): JsonObject | undefined {
  if (action !== "accept" && action !== "decline" && action !== "cancel") return undefined;
  return { action, ...(_meta !== undefined && { _meta }) };
}

interface Judged {
  fields: Field[];
  schema: unknown;
  options: AnswerOptions;
}

/** By what forms are made of, and then by the whole schema: it may hold patterns, or more than a form should. */
async function faultsIn(
  content: JsonObject,
  { fields, schema, options }: Judged,
): Promise<string[]> {
  const faults = faultsOf(fields, content);
  if (faults.length > 0 || !isObject(schema)) return faults;
  const verdict = await checkSchema(schema, content);
  if (verdict.ok === "unchecked")
    warn(options, `the answer to its form could not be checked: ${verdict.reason}`);
  if (verdict.ok !== false) return [];
  return verdict.problems.map(
    ({ path, message }) => `${path.slice(1) || "the answer"}: ${message}`,
  );
}

/** Why a URL is not to be opened: only https is, and http to this machine itself. */
function urlFault(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return "is none";
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return undefined;
  return protocol === "http:" ? "is not encrypted (http)" : `has the scheme ${protocol}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function warn({ name, log }: AnswerOptions, text: string): void {
  log({ level: "warn", server: name, text });
}
