/**
 * What clients hear of changes: legacy ones of all lists, and of resources that they subscribed to; modern ones of what a
 * `subscriptions/listen` asks for, on its own stream, until they leave or we stop (protocol.md 1.10, 2.3).
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { metaPrefix } from "../protocol/meta.ts";
import type { ListName } from "../protocol/subscriptions.ts";
import { badParams } from "./gateway-errors.ts";
import type { Links } from "./gateway-links.ts";
import { locate } from "./gateway-locate.ts";
import type { News } from "./gateway-news.ts";
import { ownText } from "./gateway-results.ts";
import { noticeOf, takesTasks } from "./gateway-tasks-modern.ts";
import type { Tasks } from "./gateway-tasks.ts";
import type { Aside, Behind, Downstream, Question, Scope } from "./gateway-types.ts";

export interface ListenContext extends Behind {
  links: Links;
  tasks: Tasks;
  stopping: AbortSignal;
}

const lists: readonly ListName[] = ["tools", "prompts", "resources"];

/** Tells a legacy client of lists that changed. */
export function followLists(
  { scope, aside }: Downstream & { aside: Aside },
  news: News,
): Disposable {
  return news.listen((list, servers) => {
    if (isShown(scope, servers)) aside.notify(`notifications/${list}/list_changed`, {});
  });
}

/** `resources/subscribe`. @throws RpcError, HostError */
export async function subscribe(
  { params, from, signal }: Question,
  { host, links, updates }: ListenContext,
): Promise<string> {
  const { aside, scope, knows } = from;
  const { uri: asked } = params;
  if (typeof asked === "string" && asked.length > uriMax) badParams("the uri is too long");
  const resource = await locate(host, asked, { links, scope, signal });
  if (aside === undefined || typeof asked !== "string") badParams("nobody is there to be told");
  if (!aside.subscriptions.has(asked)) {
    if (aside.subscriptions.size >= urisMax)
      throw new RpcError({ code: internalError, message: `${urisMax} subscriptions are enough` });
    const leave = await updates.follow(resource, (given) =>
      aside.notify("notifications/resources/updated", renamed(given, resource.uri, asked)),
    );
    // It may have asked twice, or have left meanwhile.
    if (signal.aborted || aside.subscriptions.has(asked)) leave[Symbol.dispose]();
    else aside.subscriptions.set(asked, leave);
  }
  return ownText({}, knows);
}

/** `resources/unsubscribe`. */
export function unsubscribe({ params, from }: Question): string {
  const { subscriptions } = from.aside ?? {};
  const { uri } = params;
  if (typeof uri !== "string") badParams("the uri of a resource is a string");
  subscriptions?.get(uri)?.[Symbol.dispose]();
  subscriptions?.delete(uri);
  return ownText({}, from.knows);
}

/** `subscriptions/listen`: resolves when we end it in order. @throws RpcError */
export async function listen(question: Question, context: ListenContext): Promise<string> {
  const { id, params, from, signal, notify } = question;
  const { notifications: wanted } = params;
  if (!isObject(wanted)) badParams("subscriptions/listen needs notifications");
  const _meta = { [`${metaPrefix}subscriptionId`]: id };
  using scope = new DisposableStack();
  // Nothing is told before the acknowledgement.
  let early: [string, JsonObject][] | undefined = [];
  const tell = (method: string, given: JsonObject) => {
    if (early !== undefined) early.push([method, given]);
    else
      notify(method, { ...given, _meta: { ...(isObject(given._meta) && given._meta), ..._meta } });
  };
  const asked = lists.filter((list) => wanted[`${list}ListChanged`] === true);
  scope.use(
    context.news.listen((list, servers) => {
      if (asked.includes(list) && isShown(from.scope, servers))
        tell(`notifications/${list}/list_changed`, {});
    }),
  );
  const uris = await followAll(question, context, { scope, tell });
  const taskIds = followTasks(question, context, { scope, tell });
  notify("notifications/subscriptions/acknowledged", {
    notifications: {
      ...Object.fromEntries(asked.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
      ...(taskIds.length > 0 && { taskIds }),
    },
    _meta,
  });
  const held = early;
  early = undefined;
  for (const [method, given] of held) tell(method, given);
  await aborted(AbortSignal.any([signal, context.stopping]));
  return ownText({ _meta }, from.knows);
}

// --- internal ---

const urisMax = 1000;
/** Characters of one that is kept. */
const uriMax = 8192;

function isShown({ server }: Scope, servers: ReadonlySet<string>): boolean {
  return server === undefined || servers.has(server);
}

/** Follows the resources that are asked for; those that cannot be followed are left out of what is honoured. */
async function followAll(
  { params: { notifications }, from, signal }: Question,
  { host, links, updates }: ListenContext,
  { scope, tell }: { scope: DisposableStack; tell: (method: string, given: JsonObject) => void },
): Promise<string[]> {
  const given = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
  const asked = (Array.isArray(given) ? given : []).filter(
    (uri): uri is string => typeof uri === "string" && uri.length <= uriMax,
  );
  const one = async (uri: string): Promise<string[]> => {
    try {
      const resource = await locate(host, uri, { links, scope: from.scope, signal });
      const leave = await updates.follow(resource, (update) =>
        tell("notifications/resources/updated", renamed(update, resource.uri, uri)),
      );
      if (scope.disposed) leave[Symbol.dispose]();
      else scope.use(leave);
      return [uri];
    } catch {
      return [];
    }
  };
  return (await Promise.all([...new Set(asked.slice(0, urisMax))].map(one))).flat();
}

/** The same for tasks, of clients that take them. */
function followTasks(
  { params: { notifications }, from }: Question,
  { tasks }: ListenContext,
  { scope, tell }: { scope: DisposableStack; tell: (method: string, given: JsonObject) => void },
): string[] {
  const given = isObject(notifications) && takesTasks(from) ? notifications.taskIds : undefined;
  const asked = new Set((Array.isArray(given) ? given : []).slice(0, urisMax));
  const own = tasks.list().filter(({ id, options }) => {
    return asked.has(id) && options.owner === from.scope.owner;
  });
  for (const task of own) scope.use(task.watch(() => tell("notifications/tasks", noticeOf(task))));
  return own.map(({ id }) => id);
}

/** Under the URI that the client knows it by. */
function renamed(params: JsonObject & { uri: string }, own: string, asked: string): JsonObject {
  return { ...params, uri: params.uri === own ? asked : params.uri };
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
