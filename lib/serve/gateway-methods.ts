/** What answers each method of the gateway, by era. */
import type { JsonObject } from "../base/json.ts";
import { logLevels } from "../protocol/log-level.ts";
import type { Era, McpLogLevel } from "../protocol/mcp.ts";
import { callTool, serverOfTool, tellCall } from "./gateway-calls.ts";
import { badParams } from "./gateway-errors.ts";
import {
  complete,
  getPrompt,
  readResource,
  serverOfPrompt,
  serverOfResource,
} from "./gateway-features.ts";
import { discovery } from "./gateway-greet.ts";
import type { Instructions } from "./gateway-greet.ts";
import { listen, subscribe, unsubscribe } from "./gateway-listen.ts";
import type { ListenContext } from "./gateway-listen.ts";
import type { Lists } from "./gateway-lists.ts";
import type { Logs } from "./gateway-logs.ts";
import { ownText } from "./gateway-results.ts";
import type { Rounds } from "./gateway-rounds.ts";
import { legacyTaskMethods } from "./gateway-tasks-legacy.ts";
import { modernTaskMethods } from "./gateway-tasks-modern.ts";
import type { Tasks } from "./gateway-tasks.ts";
import type { Askable, Behind, GatewayOptions, Question } from "./gateway-types.ts";

/** Undefined: the one who is told of the question hears it by itself. @throws what `Gateway.faultOf` tells */
type Handler = (question: Question) => string | Promise<string> | undefined;

/** What they answer with. */
export interface Parts extends ListenContext {
  logs: Logs;
  calls: GatewayOptions["calls"];
  rounds: Rounds;
  tasks: Tasks;
  lists: Lists;
  instructions: Instructions;
}

/** By the names of methods. */
export function tablesOf(parts: Parts): Record<Era, Map<string, Handler>> {
  const { logs, lists, instructions, rounds, tasks } = parts;
  const behind = ({ from }: Question): Behind => from.guest ?? parts;
  const asking = askable(parts);
  const both: [string, Answer][] = [
    ["tools/list", listed((question) => lists.tools(question, behind(question)))],
    ["prompts/list", listed((question) => lists.prompts(question, behind(question)))],
    ["resources/list", listed((question) => lists.resources(question, behind(question)))],
    ["resources/templates/list", listed((question) => lists.templates(question, behind(question)))],
    ["completion/complete", (question) => complete(question, parts)],
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

// --- internal ---

type Answer = (question: Question) => string | Promise<string>;
type Asker = (question: Question) => Promise<string> | undefined;

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
      tell: (question, told) => tellCall(question, parts, told),
    }),
    "prompts/get": through({
      serverOn: serverOfPrompt,
      make: (question, round) => getPrompt(question, parts, round),
    }),
    "resources/read": through({
      serverOn: (question, host) => serverOfResource(question, { host, links: parts.links }),
      make: (question, round) => readResource(question, parts, round),
    }),
  };
}

function listed(list: (question: Question) => Promise<JsonObject>): Answer {
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
