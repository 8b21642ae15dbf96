/**
 * The MCP server that we offer to others, over one host: what each method of each era comes to. It knows no transport, and
 * has no call path of its own (design.md).
 */
import type { JsonObject } from "../base/json.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { Era, McpLogLevel } from "../protocol/mcp.ts";
import { callTool, serverOfTool } from "./gateway-calls.ts";
import { badParams, shownError, toRpcError } from "./gateway-errors.ts";
import {
  complete,
  getPrompt,
  readResource,
  serverOfPrompt,
  serverOfResource,
} from "./gateway-features.ts";
import { discovery, greeting, Instructions } from "./gateway-greet.ts";
import { admit } from "./gateway-guests.ts";
import { followLists, listen, subscribe, unsubscribe } from "./gateway-listen.ts";
import type { ListenContext } from "./gateway-listen.ts";
import { Lists } from "./gateway-lists.ts";
import { logLevels, Logs } from "./gateway-logs.ts";
import { News } from "./gateway-news.ts";
import { ownText } from "./gateway-results.ts";
import { Rounds } from "./gateway-rounds.ts";
import { legacyTaskMethods } from "./gateway-tasks-legacy.ts";
import { modernTaskMethods } from "./gateway-tasks-modern.ts";
import { Tasks } from "./gateway-tasks.ts";
import type {
  Askable,
  Behind,
  Downstream,
  Gateway,
  GatewayOptions,
  Question,
} from "./gateway-types.ts";
import { Updates } from "./gateway-updates.ts";

type Asker = (question: Question) => Promise<string>;
type Handler = (question: Question) => string | Promise<string>;

export function createGateway(options: GatewayOptions): Gateway {
  const { host, log, stopping, guests, greetMs = 2000, redact = (text) => text } = options;
  const {
    answerMs,
    listMs = 10_000,
    coalesceMs = 100,
    pageMax = 1000,
    subscriptionsMax = 2000,
  } = options;
  const news = new News(host, coalesceMs);
  const logs = new Logs(host);
  const updates = new Updates({ host, log, followedMax: subscriptionsMax });
  const lists = new Lists({ listMs, pageMax });
  const instructions = new Instructions(host, greetMs);
  const shared = { host, news, updates };
  const tasks = new Tasks({ now: options.now });
  const context = { shared, logs, log, guests, greetMs, answerMs, coalesceMs, subscriptionsMax };
  const rounds = new Rounds({ ...options, ...context, tasks });
  const { calls } = options;
  const parts = { ...shared, stopping, logs, lists, instructions, rounds, calls, tasks };
  const tables = tablesOf(parts);
  host.lend();
  // Modern servers tell of changes only where they are asked to.
  host.keepFresh();
  const handlerOf = (method: string, { knows }: Downstream) =>
    knows.tasks || !method.startsWith("tasks/") ? tables[knows.era].get(method) : undefined;
  return {
    has: (method, from) => handlerOf(method, from) !== undefined,
    answer(question) {
      const { method, from } = question;
      const handler = handlerOf(method, from);
      if (handler === undefined)
        throw new RpcError({ code: methodNotFound, message: `Method not found: ${method}` });
      return handler(question);
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

interface Parts extends ListenContext {
  logs: Logs;
  calls: GatewayOptions["calls"];
  rounds: Rounds;
  tasks: Tasks;
  lists: Lists;
  instructions: Instructions;
}

/** Those that a server may answer by questions of its own. */
function askable(parts: Parts): Record<"tools/call" | "prompts/get" | "resources/read", Asker> {
  const through =
    (request: Askable): Asker =>
    (question) =>
      parts.rounds.through(question, request);
  return {
    "tools/call": through({
      mayLast: true,
      serverOn: serverOfTool,
      make: (question, round) => callTool(question, parts, round),
    }),
    "prompts/get": through({
      serverOn: serverOfPrompt,
      make: (question, round) => getPrompt(question, parts, round),
    }),
    "resources/read": through({
      serverOn: serverOfResource,
      make: (question, round) => readResource(question, parts, round),
    }),
  };
}

/** What answers each method, by era. */
function tablesOf(parts: Parts): Record<Era, Map<string, Handler>> {
  const { logs, lists, instructions, rounds, tasks } = parts;
  const behind = ({ from }: Question): Behind => from.guest ?? parts;
  const asking = askable(parts);
  const both: [string, Handler][] = [
    ["tools/list", listed((question) => lists.tools(question, behind(question)))],
    ["prompts/list", listed((question) => lists.prompts(question, behind(question)))],
    ["resources/list", listed((question) => lists.resources(question, behind(question)))],
    ["resources/templates/list", listed((question) => lists.templates(question, behind(question)))],
    ["completion/complete", (question) => complete(question, behind(question).host)],
  ];
  const aside = both.map(([method, answer]): [string, Handler] => [
    method,
    (question) => rounds.aside(question, async (asked) => await answer(asked)),
  ]);
  return {
    legacy: new Map<string, Handler>([
      ...Object.entries(asking),
      ...both,
      ...legacyTaskMethods(tasks, { host: (question) => behind(question).host, ...asking }),
      ["ping", ({ from }) => ownText({}, from.knows)],
      ["logging/setLevel", (question) => setLevel(question, logs)],
      ["resources/subscribe", (question) => subscribe(question, { ...parts, ...behind(question) })],
      ["resources/unsubscribe", (question) => unsubscribe(question)],
    ]),
    modern: new Map<string, Handler>([
      ...Object.entries(asking),
      ...aside,
      ...modernTaskMethods(tasks),
      [
        "server/discover",
        async (question) =>
          ownText(
            discovery(question.from.knows, await instructions.of(question.from.scope)),
            question.from.knows,
            true,
          ),
      ],
      [
        "subscriptions/listen",
        (question) => rounds.aside(question, (own) => listen(own, { ...parts, ...behind(own) })),
      ],
    ]),
  };
}

function listed(list: (question: Question) => Promise<JsonObject>): Handler {
  return async (question) => ownText(await list(question), question.from.knows, true);
}

function setLevel({ params: { level }, from }: Question, logs: Logs): string {
  if (!logLevels.includes(level as McpLogLevel))
    badParams(`the level of logs is one of ${logLevels.join(", ")}`);
  from.logLevel = level as McpLogLevel;
  from.guest?.host.askLogs(from.logLevel);
  logs.want(from.logLevel);
  return ownText({}, from.knows);
}
