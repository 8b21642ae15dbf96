/**
 * `--elicit`: what a person answers beforehand, where nobody can be asked. Values go only into forms that have a field for
 * them, so that nothing is agreed to that was not meant; URLs are never agreed to.
 */
import { clip } from "../base/clip.ts";
import { HostError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import type { Answers } from "../client/answer-types.ts";
import { readForm } from "../protocol/form.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";

/**
 * An object answers every form that has one of its keys, and `{}` every form by its defaults; `decline` and `cancel` answer
 * all that is asked. A form that it does not answer gets no word in the person's name: `giveUp` ends the call.
 * @throws HostError `usage`
 */
export function givenAnswers(text: string, giveUp: (error: HostError) => void): Answers {
  if (text === "decline" || text === "cancel") {
    const action = async () => ({ action: text });
    return { elicit: action, elicitUrl: action };
  }
  const values = readValues(text);
  const keys = Object.keys(values);
  return {
    async elicit(params, { server, faults }) {
      const fields = readForm(params.requestedSchema).map(({ key }) => key);
      const own = keys.filter((key) => fields.includes(key));
      if (faults === undefined && (own.length > 0 || keys.length === 0)) {
        const entries = own.map((key): [string, Json | undefined] => [key, values[key]]);
        return { action: "accept", content: Object.fromEntries(entries) };
      }
      const wanted = fields.length === 0 ? "no value, but a yes" : fields.join(", ");
      const why = faults?.join("; ") ?? `it asks for ${wanted}, and --elicit has none of it`;
      giveUp(unfit(why, { server, keys, fields, asked: params.message }));
      throw new RpcError({
        code: internalError,
        message: "the answer given does not fit the form",
      });
    },
  };
}

// --- internal ---

interface Unfit {
  server: string;
  keys: readonly string[];
  fields: readonly string[];
  asked: Json | undefined;
}

function unfit(why: string, { server, keys, fields, asked }: Unfit): HostError {
  const form = typeof asked === "string" ? `${clip(asked, 500)}" of server "${server}` : server;
  const strange = keys.filter((key) => !fields.includes(key));
  const near = strange.flatMap((key) => nearest(key, fields, 1));
  const hint = "the call was given up; --elicit decline, or cancel, answers without values";
  return new HostError("usage", `--elicit does not fit the form "${form}": ${why}`, {
    facts: { server, fields, nearest: near },
    hint: [...(didYouMean(near) === undefined ? [] : [didYouMean(near)]), hint].join(" "),
  });
}

function readValues(text: string): JsonObject {
  const value = read(text);
  if (isObject(value)) return value;
  throw new HostError("usage", "--elicit takes a JSON object, decline or cancel", {
    hint: `its keys are the fields of a server's form, as in --elicit '{"name":"Ada"}'`,
  });
}

function read(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
