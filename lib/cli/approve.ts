/**
 * A call that is asked about, put to the person at the terminal: which tool of which server, its own description, what it
 * would be called with. Whatever is no clear yes is a no. What servers and callers say is only ever shown.
 */
import { clip } from "../base/clip.ts";
import { isHostError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Proposed } from "../hooks/before.ts";
import type { PluginCall } from "../hooks/hook-types.ts";
import type { Approver } from "../host/gate-types.ts";
import type { HostTool } from "../host/types.ts";
import { isDismissal, questions } from "./ask.ts";
import type { Questions } from "./ask.ts";
import type { Io } from "./types.ts";

type Question = Parameters<Approver>[1];
type Word = Exclude<Awaited<ReturnType<Approver>>, undefined>;

/** For terminals only: elsewhere nobody answers. Questions come one after the other. */
export function approverAt(io: Io): Approver {
  let turn = Promise.resolve();
  /** What is allowed for this run: a tool as it was described then. */
  const always = new Set<string>();
  return async (call, question) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const before = turn;
    turn = ended;
    await before;
    try {
      const key = definitionOf(call.view(), question.tool);
      if (always.has(key)) return { approve: true };
      const ask = questions(io, question.signal);
      if (ask === undefined) return undefined;
      const answer = await answerOf(ask, call, question);
      if (answer === "always") always.add(key);
      return typeof answer === "string" ? { approve: true } : answer;
    } catch (error) {
      if (isDismissal(error)) return { reject: "the question was not answered (Esc)" };
      throw error;
    } finally {
      end();
    }
  };
}

// --- internal ---

const shownMax = 2000;

/** Whose call it is, where it is not that of whoever is asked. */
const whose: Readonly<Record<PluginCall["actor"], string>> = {
  user: "",
  script: " (a script asks)",
  model: " (a model asks)",
  gateway: " (a client of the gateway asks)",
};

async function answerOf(
  ask: Questions,
  call: Proposed,
  question: Question,
): Promise<"once" | "always" | Word> {
  for (let isWhole = false, fault = ""; ;) {
    const view = call.view();
    const text = JSON.stringify(view.arguments, undefined, 2);
    const isCut = !isWhole && text.length > shownMax;
    const words = wordsOf(view, question, isCut ? clip(text, shownMax) : text);
    const answer = await ask.pick(fault === "" ? words : `${words}\n  ${fault}`, [
      { value: "once", label: "Allow once" },
      // A person's own call is the only one of its run.
      ...(view.actor === "user"
        ? []
        : [{ value: "always", label: "Allow this tool for this run" } as const]),
      ...(isCut ? [{ value: "whole", label: `Show all ${text.length} characters` }] : []),
      { value: "change", label: "Change the arguments" },
      { value: "reject", label: "Reject" },
      { value: "arguments", label: "Always allow it with these arguments" },
      { value: "tool", label: "Always allow this tool" },
    ]);
    if (answer === "once" || answer === "always") return answer;
    if (answer === "tool" || answer === "arguments")
      return { approve: true, always: { what: answer } };
    if (answer === "reject") return { reject: (await ask.text("Why? (may be left empty)")) ?? "" };
    if (answer === "whole") isWhole = true;
    else fault = await changed(ask, call, view.arguments);
  }
}

/** Takes what was typed where it fits; else why it does not. @throws HostError `denied` by a rule */
async function changed(ask: Questions, call: Proposed, args: JsonObject): Promise<string> {
  const filled = JSON.stringify(args);
  const typed = await ask.text("The arguments, as a JSON object", {
    filled,
    fault: (text) => (readObject(text) === undefined ? "it is no JSON object" : undefined),
  });
  try {
    await call.revise(readObject(typed ?? filled) ?? {});
    return "";
  } catch (error) {
    if (isHostError(error) && error.code === "usage") return `That did not do: ${error.message}`;
    throw error;
  }
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Each line of a stranger stands behind a bar, so that none of it looks like ours. */
function wordsOf(call: PluginCall, { tool, reasons }: Question, args: string): string {
  const { server, actor, tool: name } = call;
  const about = tool?.description ?? tool?.title;
  return [
    `Call ${name} of server "${server}"?${whose[actor]}`,
    ...reasons.map((reason) => `  since ${reason.replaceAll("\n", " ")}`),
    ...(about === undefined ? [] : ["  it says of itself:", ...barred(clip(about, shownMax))]),
    "  arguments:",
    ...barred(args),
  ].join("\n");
}

function barred(text: string): string[] {
  return text.split("\n").map((line) => `  | ${line}`);
}

function definitionOf({ server, tool: name }: PluginCall, tool: HostTool | undefined): string {
  const { title, description, inputSchema, annotations } = tool ?? {};
  return JSON.stringify([server, name, title, description, inputSchema, annotations]);
}
