/**
 * A server's questions, put to the person at the terminal one after the other: who asks and what, each field of a form, all
 * of it once more before it is sent. Declining and cancelling are always offered. What a server says is only ever shown.
 */
import { withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Answerer, Answers, Asked } from "../client/answer-types.ts";
import { readForm, withDefaults } from "../protocol/form.ts";
import type { Field } from "../protocol/form.ts";
import { isDismissal, questions } from "./ask.ts";
import type { Questions } from "./ask.ts";
import { askField, messageOf, nameOf, refusing, valueText } from "./elicit-fields.ts";
import type { Io } from "./types.ts";
import { visibleLine } from "./visible.ts";

/** Both ways of asking. For terminals only: `questions` must have somebody to ask. */
export function personAt(io: Io): Required<Pick<Answers, "elicit" | "elicitUrl">> {
  let turn = Promise.resolve();
  /** Two questions at once on one terminal would be unreadable. */
  const inTurn =
    (
      answerer: (params: JsonObject, asked: Asked, ask: Questions) => Promise<JsonObject>,
    ): Answerer =>
    async (params, asked) => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const before = turn;
      turn = ended;
      await before;
      try {
        const ask = questions(io, asked.signal);
        return ask === undefined ? { action: "cancel" } : await answerer(params, asked, ask);
      } catch (error) {
        // Esc is what the specification calls a dismissal: neither yes nor no.
        if (isDismissal(error)) return { action: "cancel", done: true };
        throw error;
      } finally {
        end();
      }
    };
  // By the question: one whose answer did not do begins with what was typed.
  const typed = new WeakMap<JsonObject, JsonObject>();
  const visited = new Set<string>();
  return {
    elicit: inTurn((params, asked, ask) => fillForm(params, asked, { ask, typed })),
    elicitUrl: inTurn(async (params, asked, ask) => {
      const { visit } = await import("./elicit-url.ts");
      const until = (signal: AbortSignal) =>
        questions(io, AbortSignal.any([asked.signal, signal])) ?? ask;
      return await visit(params, asked, { ask, until, io, visited });
    }),
  };
}

// --- internal ---

/** How many fields are named before the form begins. */
const namesShown = 4;

async function fillForm(
  params: JsonObject,
  { server, faults }: Asked,
  { ask, typed }: { ask: Questions; typed: WeakMap<JsonObject, JsonObject> },
): Promise<JsonObject> {
  const fields = readForm(withDigits(params).requestedSchema);
  const names = fields.slice(0, namesShown).map(nameOf).join(", ");
  const more = fields.length > namesShown ? `, … (${fields.length} in all)` : "";
  const words = [`Server "${server}" asks: ${messageOf(params)}`];
  if (faults) words.push(...faults.map((fault) => `  that did not do: ${fault}`));
  const yes = {
    value: "accept",
    label: fields.length === 0 ? "Accept" : `Answer: ${names}${more}`,
  };
  const action = await ask.pick(words.join("\n"), [yes, ...refusing]);
  if (action !== "accept" || fields.length === 0) return { action };
  for (let given = typed.get(params) ?? {}; ;) {
    given = await fill(fields, given, ask);
    typed.set(params, given);
    // What may be left out was left out on purpose: its default stood there.
    const content = withDefaults(
      fields.filter(({ isRequired }) => isRequired),
      given,
    );
    const next = await ask.pick(review(server, fields, content), [
      { value: "accept", label: "Send" },
      { value: "change", label: "Change" },
      ...refusing,
    ]);
    if (next === "accept") return { action: next, content, done: true };
    if (next !== "change") return { action: next };
  }
}

async function fill(
  fields: readonly Field[],
  before: JsonObject,
  ask: Questions,
): Promise<JsonObject> {
  const entries: [string, JsonObject[string]][] = [];
  for (const field of fields) {
    const earlier = Object.hasOwn(before, field.key) ? before[field.key] : undefined;
    const value = await askField(field, earlier, ask);
    if (value !== undefined) entries.push([field.key, value]);
  }
  return Object.fromEntries(entries);
}

/** All that would be sent. */
function review(server: string, fields: readonly Field[], content: JsonObject): string {
  const lines = fields.map((field) => {
    const value = Object.hasOwn(content, field.key) ? content[field.key] : undefined;
    return `  ${nameOf(field)}: ${value === undefined ? "(left out)" : visibleLine(valueText(field, value))}`;
  });
  return [`Send this to server "${server}"?`, ...lines].join("\n");
}
