/** What the tests of answers share: a server that asks during each call, a form, and consent. */
import { expect } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import type { Answers } from "../../lib/client/answer-types.ts";
import { connect } from "../../lib/client/client.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import { legacyScript, modernScript, scripted, text } from "./kit.ts";
import type { Scripted } from "./kit.ts";

/** An answerer that agrees to everything. */
export const accept = async () => ({ action: "accept" });

/** The params of a question with these fields. */
export const form = (properties: JsonObject, required: string[] = []) => ({
  message: "Please",
  requestedSchema: { type: "object", properties, required },
});

/** A server of either era that asks one question during each call, and keeps what it was answered. */
export function asking(
  era: "legacy" | "modern",
  answers: Answers,
  extra: Partial<ConnectOptions> = {},
) {
  const replies: any[] = [];
  const state = { method: "elicitation/create", params: {} as object };
  const asked = new Map<unknown, (reply: object) => void>();
  let id = 100;
  const legacy = legacyScript({
    call: async (_, far) => {
      const own = ++id;
      const reply = new Promise((resolve) => asked.set(own, resolve));
      far.send({ id: own, ...state });
      replies.push(await reply);
      return text("done");
    },
  });
  const modern = modernScript({
    call: ({ params }) => {
      const { inputResponses } = params;
      if (inputResponses === undefined)
        return { resultType: "input_required", inputRequests: { q: state } };
      replies.push({ result: inputResponses.q });
      return { resultType: "complete", ...text("done") };
    },
  });
  const server: Scripted = scripted(
    era === "modern"
      ? modern
      : (message, far) => {
          if (message.method === undefined) return asked.get(message.id)?.(message);
          return legacy(message, far);
        },
    { answers, ...extra },
  );
  return {
    server,
    replies,
    /** One call, during which this is asked. */
    async ask(params: object, method = "elicitation/create") {
      Object.assign(state, { method, params });
      await using client = await connect(server.options);
      const { result } = await client.callTool("one", {});
      expect(result).toMatchObject(text("done"));
      const reply = replies.at(-1);
      return reply.error ?? reply.result;
    },
  };
}
