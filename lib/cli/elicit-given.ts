/**
 * `--elicit`: what a person answers beforehand, where nobody can be asked. Values go only into forms that have a field for
 * them, so that nothing is agreed to that was not meant; URLs are never agreed to.
 */
import { HostError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/types.ts";
import { readForm } from "../protocol/form.ts";

/**
 * An object answers every form that has one of its keys, and `{}` every form by its defaults; `decline` and `cancel` answer
 * all that is asked.
 * @throws HostError `usage`
 */
export function givenAnswers(text: string, log: Log): Answers {
  if (text === "decline" || text === "cancel") {
    const action = async () => ({ action: text });
    return { elicit: action, elicitUrl: action };
  }
  const values = readValues(text);
  const keys = Object.keys(values);
  return {
    async elicit(params, { server, faults }) {
      const decline = (why: string) => {
        log({ level: "warn", server, text: `its form was declined: ${why}` });
        return { action: "decline" };
      };
      if (faults !== undefined) return decline(`--elicit does not fit it: ${faults.join("; ")}`);
      const fields = readForm(params.requestedSchema).map(({ key }) => key);
      const own = keys.filter((key) => fields.includes(key));
      if (own.length === 0 && keys.length > 0) {
        const asked = typeof params.message === "string" ? `"${params.message}"` : "it";
        return decline(
          `${asked} asks for ${fields.join(", ") || "a yes"}, and --elicit has none of it`,
        );
      }
      const entries = own.map((key): [string, Json | undefined] => [key, values[key]]);
      return { action: "accept", content: Object.fromEntries(entries) };
    },
  };
}

// --- internal ---

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
