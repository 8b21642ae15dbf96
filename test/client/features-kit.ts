/** What the tests of features share: a client of a server with a few answers. */
import type { JsonObject } from "../../lib/base/json.ts";
import { connect } from "../../lib/client/client.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import type { McpClient } from "../../lib/client/types.ts";
import { legacyScript, modernScript, scripted } from "./kit.ts";
import type { Far, Incoming, Script, Scripted } from "./kit.ts";

type Era = "legacy" | "modern";
/** What the server answers to one method. */
export type Answer = (message: Incoming, far: Far) => unknown;

/** Every capability that these tests use. */
export const everything = { tools: {}, prompts: {}, resources: {}, completions: {} };

/** A client of a server with these answers; all other methods are unknown. */
export async function over(
  era: Era,
  answers: Record<string, Answer>,
  capabilities: JsonObject = everything,
  options: Partial<ConnectOptions> = {},
): Promise<{ client: McpClient; server: Scripted }> {
  const greet = (era === "modern" ? modernScript : legacyScript)({ capabilities });
  const script: Script = (message, far) => {
    const answer = answers[message.method ?? ""];
    return answer === undefined ? greet(message, far) : answer(message, far);
  };
  const server = scripted(script, { protocol: era, ...options });
  return { client: await connect(server.options), server };
}

/** Refuses a request with this code. */
export const refused = (message: Incoming, far: Far, code: number) =>
  far.send({ id: message.id, error: { code, message: "no" } });
