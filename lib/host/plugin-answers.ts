/**
 * What servers ask is put to the plugins first, whoever answers behind them. Declared is what either can. It says nothing by
 * itself: where nobody has a word, a form is left (`cancel`) and a model refused.
 */
import { isHostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Answerer, Answers, Asked, Relay } from "../client/answer-types.ts";
import { frozenCopy, plainJson, thrownText } from "../hooks/frozen.ts";
import { answerOf, fault, nonsense } from "../hooks/run-hook.ts";
import type { PluginRunner } from "../hooks/runner.ts";

type Questions = "elicit" | "sample";

/** The same answers where no plugin has a hook for any. */
export function pluggedAnswers(plugins: PluginRunner, given: Answers, log: Log): Answers {
  const hasElicit = plugins.hooks("elicit").length > 0;
  const hasSample = plugins.hooks("sample").length > 0;
  const hasRoots = plugins.hooks("roots").length > 0;
  if (!hasElicit && !hasSample && !hasRoots) return given;
  const asks = (name: Questions, params: JsonObject, asked: Asked) =>
    firstWord(plugins, { name, params, asked, log });
  const { relay } = given;
  if (relay !== undefined) {
    const ask: Relay["ask"] = async (method, params, asked) => {
      const name = methods.get(method);
      const word = name && (await asks(name, params, asked));
      return word ?? (await relay.ask(method, params, asked));
    };
    return { ...given, relay: { ...relay, ask } };
  }
  const form =
    (behind: Answerer | undefined): Answerer =>
    async (params, asked) =>
      (await asks("elicit", params, asked)) ??
      (await behind?.(params, asked)) ?? { action: "cancel" };
  const { roots, elicit, elicitUrl, sample, sampleTools = false } = given;
  return {
    ...given,
    ...(hasRoots && {
      roots: async (server) =>
        (await rootsOf(plugins, server, log)) ?? (await roots?.(server)) ?? [],
    }),
    ...(hasElicit && { elicit: form(elicit), elicitUrl: form(elicitUrl) }),
    ...(hasSample && {
      sampleTools: true,
      sample: async (params, asked) => {
        const word = await asks("sample", params, asked);
        const wantsTools = (params.tools ?? params.toolChoice) != null;
        return word ?? (wantsTools && !sampleTools ? undefined : await sample?.(params, asked));
      },
    }),
  };
}

// --- internal ---

const methods: ReadonlyMap<string, Questions> = new Map([
  ["elicitation/create", "elicit"],
  ["sampling/createMessage", "sample"],
]);

/** The roots that a plugin names for a server; undefined where none does. */
async function rootsOf(
  plugins: PluginRunner,
  server: string,
  log: Log,
): Promise<JsonObject[] | undefined> {
  for (const hook of plugins.hooks("roots")) {
    const occasion = { about: ` for server "${server}"`, timeoutMs: plugins.hookTimeoutMs };
    try {
      const answer = await answerOf(hook, occasion, () => hook.run(server));
      if (answer === undefined || answer === null) continue;
      const { value } = plainJson(answer);
      if (isRoots(value)) return value;
      throw nonsense(hook, occasion, { found: answer, expected: "an array of { uri, name? }" });
    } catch (error) {
      log({ level: "warn", server, text: textOf(error) });
    }
  }
  return undefined;
}

interface Asking {
  name: Questions;
  params: JsonObject;
  asked: Asked;
  log: Log;
}

/** Of the plugins in order; a fault of one is no yes, and ends the asking. */
async function firstWord(
  plugins: PluginRunner,
  { name, params, asked, log }: Asking,
): Promise<JsonObject | undefined> {
  const { server, signal, faults } = asked;
  const request = Object.freeze({
    server,
    params: frozenCopy(params),
    signal: AbortSignal.any([signal]),
    ...(faults && { faults: Object.freeze([...faults]) }),
  });
  const occasion = {
    about: ` for server "${server}"`,
    timeoutMs: plugins.approvalTimeoutMs,
    signal,
  };
  for (const hook of plugins.hooks(name)) {
    try {
      const answer = await answerOf(hook, occasion, () => hook.run(request));
      if (answer === undefined || answer === null) continue;
      const { value } = plainJson(answer);
      if (isObject(value)) return value;
      throw fault(hook, occasion, "returned no object");
    } catch (error) {
      if (signal.aborted) throw error;
      log({ level: "warn", server, text: textOf(error) });
      if (name === "elicit") return { action: "cancel" };
      throw error;
    }
  }
  return undefined;
}

function isRoots(value: Json): value is JsonObject[] {
  return (
    Array.isArray(value) && value.every((root) => isObject(root) && typeof root.uri === "string")
  );
}

function textOf(error: unknown): string {
  return isHostError(error) ? error.message : thrownText(error);
}
