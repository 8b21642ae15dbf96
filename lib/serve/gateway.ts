/**
 * The MCP server that we offer to others, over one host: what each method of each era comes to. It knows no transport, and
 * has no call path of its own (design.md). Requests of servers to clients are not relayed: none is declared to a server.
 */
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { callTool } from "./gateway-calls.ts";
import { badParams, shownError, toRpcError } from "./gateway-errors.ts";
import { complete, getPrompt, readResource } from "./gateway-features.ts";
import { discovery, greeting, Instructions } from "./gateway-greet.ts";
import { followLists, listen, subscribe, unsubscribe } from "./gateway-listen.ts";
import { Lists } from "./gateway-lists.ts";
import { logLevels, Logs } from "./gateway-logs.ts";
import { News } from "./gateway-news.ts";
import { ownText } from "./gateway-results.ts";
import type { Gateway, GatewayOptions, Question } from "./gateway-types.ts";
import { Updates } from "./gateway-updates.ts";

type Handler = (question: Question) => string | Promise<string>;

export function createGateway(options: GatewayOptions): Gateway {
  const { host, log, stopping, greetMs = 2000, redact = (text) => text } = options;
  const { listMs = 10_000, coalesceMs = 100, pageMax = 1000, subscriptionsMax = 2000 } = options;
  const news = new News(host, coalesceMs);
  const logs = new Logs(host);
  const updates = new Updates({ host, log, followedMax: subscriptionsMax });
  const lists = new Lists({ host, news, listMs, pageMax });
  const context = { host, news, updates, stopping };
  // Modern servers tell of changes only where they are asked to.
  host.keepFresh();

  const both: [string, Handler][] = [
    [
      "tools/list",
      async (question) => ownText(await lists.tools(question), question.from.knows, true),
    ],
    ["tools/call", (question) => callTool(question, { host, logs })],
    [
      "prompts/list",
      async (question) => ownText(await lists.prompts(question), question.from.knows, true),
    ],
    ["prompts/get", (question) => getPrompt(question, host)],
    [
      "resources/list",
      async (question) => ownText(await lists.resources(question), question.from.knows, true),
    ],
    [
      "resources/templates/list",
      async (question) => ownText(await lists.templates(question), question.from.knows, true),
    ],
    ["resources/read", (question) => readResource(question, host)],
    ["completion/complete", (question) => complete(question, host)],
  ];
  const instructions = new Instructions(host, greetMs);
  const tables = {
    legacy: new Map<string, Handler>([
      ...both,
      ["ping", ({ from }) => ownText({}, from.knows)],
      ["logging/setLevel", (question) => setLevel(question, logs)],
      ["resources/subscribe", (question) => subscribe(question, context)],
      ["resources/unsubscribe", (question) => unsubscribe(question)],
    ]),
    modern: new Map<string, Handler>([
      ...both,
      [
        "server/discover",
        async (question) =>
          ownText(
            discovery(question.from.knows, await instructions.of(question.from.scope)),
            question.from.knows,
            true,
          ),
      ],
      ["subscriptions/listen", (question) => listen(question, context)],
    ]),
  };

  return {
    has: (method, { knows }) => tables[knows.era].has(method),
    async answer(question) {
      const { method, from } = question;
      const handler = tables[from.knows.era].get(method);
      if (handler === undefined)
        throw new RpcError({ code: methodNotFound, message: `Method not found: ${method}` });
      try {
        return await handler(question);
      } catch (error) {
        throw shownError(toRpcError(error, from, method), redact);
      }
    },
    initialize: async (from) =>
      ownText(greeting(from.knows, await instructions.of(from.scope)), from.knows),
    follow(from) {
      const following = new DisposableStack();
      following.use(followLists(from, news));
      following.use(logs.follow(from));
      following.defer(() => {
        for (const subscription of from.aside.subscriptions.values())
          subscription[Symbol.dispose]();
        from.aside.subscriptions.clear();
      });
      return following;
    },
    [Symbol.dispose]() {
      instructions[Symbol.dispose]();
      news[Symbol.dispose]();
      logs[Symbol.dispose]();
      updates[Symbol.dispose]();
    },
  };
}

// --- internal ---

function setLevel({ params: { level }, from }: Question, logs: Logs): string {
  if (!logLevels.includes(level as McpLogLevel))
    badParams(`the level of logs is one of ${logLevels.join(", ")}`);
  from.logLevel = level as McpLogLevel;
  logs.want(from.logLevel);
  return ownText({}, from.knows);
}
