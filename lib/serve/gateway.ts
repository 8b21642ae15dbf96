/**
 * The MCP server that we offer to others, over one host: what each method of each era comes to. It knows no transport, and
 * has no call path of its own (design.md).
 */
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { shownError, toRpcError } from "./gateway-errors.ts";
import { greeting, Instructions } from "./gateway-greet.ts";
import { admit } from "./gateway-guests.ts";
import { Links } from "./gateway-links.ts";
import { followLists } from "./gateway-listen.ts";
import { Lists } from "./gateway-lists.ts";
import { Logs } from "./gateway-logs.ts";
import { tablesOf } from "./gateway-methods.ts";
import { News } from "./gateway-news.ts";
import { ownText } from "./gateway-results.ts";
import { Rounds } from "./gateway-rounds.ts";
import { Tasks } from "./gateway-tasks.ts";
import type { Downstream, Gateway, GatewayOptions, Told } from "./gateway-types.ts";
import { Updates } from "./gateway-updates.ts";

export function createGateway(options: GatewayOptions): Gateway {
  const { host, log, stopping, guests, greetMs = 2000, redact = (text) => text } = options;
  const {
    answerMs,
    listMs = 7000,
    coalesceMs = 100,
    pageMax = 1000,
    subscriptionsMax = 2000,
  } = options;
  const news = new News(host, coalesceMs);
  const logs = new Logs(host, log);
  const updates = new Updates({ host, log, followedMax: subscriptionsMax });
  const lists = new Lists({ listMs, pageMax });
  const instructions = new Instructions(host, greetMs);
  const shared = { host, news, updates };
  const tasks = new Tasks({ now: options.now, isShared: options.isShared });
  const context = { shared, logs, log, guests, greetMs, answerMs, coalesceMs, subscriptionsMax };
  const rounds = new Rounds({ ...options, ...context, tasks });
  const { calls } = options;
  const links = new Links();
  const parts = { ...shared, stopping, logs, links, lists, instructions, rounds, calls, tasks };
  const tables = tablesOf(parts);
  host.lend(options.isShared);
  // Modern servers tell of changes only where they are asked to.
  host.keepFresh();
  const handlerOf = (method: string, { knows }: Downstream) =>
    knows.tasks || !method.startsWith("tasks/") ? tables[knows.era].get(method) : undefined;
  return {
    has: (method, from) => handlerOf(method, from) !== undefined,
    answer(question) {
      const { method, from } = question;
      try {
        const handler = handlerOf(method, from);
        if (handler === undefined)
          throw new RpcError({ code: methodNotFound, message: `Method not found: ${method}` });
        const text = handler(question);
        if (typeof text === "string") question.answered(text);
        else if (text !== undefined) tell(question, text);
      } catch (error) {
        question.failed(error);
      }
    },
    faultOf: (error, { from, method }) => shownError(toRpcError(error, from, method), redact),
    async admit(client, params) {
      const following = new DisposableStack();
      following.use(await admit(client, params, context));
      following.use(followLists(client, (client.guest ?? shared).news));
      following.use(logs.follow(client));
      following.defer(() => {
        const { subscriptions } = client.aside;
        for (const subscription of subscriptions.values()) subscription[Symbol.dispose]();
        subscriptions.clear();
      });
      return following;
    },
    initialize: async ({ knows, scope, guest }) =>
      ownText(greeting(knows, await instructions.of(scope, guest?.host)), knows),
    [Symbol.dispose]() {
      instructions[Symbol.dispose]();
      news[Symbol.dispose]();
      logs[Symbol.dispose]();
      updates[Symbol.dispose]();
    },
  };
}

// --- internal ---

function tell(told: Told, text: Promise<string>): void {
  text.then(
    (result) => told.answered(result),
    (error: unknown) => told.failed(error),
  );
}
