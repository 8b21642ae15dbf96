/** Tasks that were left to themselves: how they go, what became of them, their end. It makes no call: that is call.ts. */
import type { CallReply, ClientTasks, RequestOptions } from "../client/types.ts";
import type { Session } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";
import type { ServerContext } from "./connection-types.ts";
import { toHostError } from "./failure.ts";
import type { HostTask } from "./lasting-types.ts";
import { failureOf, outcomeOf } from "./outcome.ts";
import type { HostedServer } from "./server.ts";
import { unknownServer } from "./unknown.ts";

/** @throws HostError `usage`: no such server */
export function hostTask(
  {
    server: name,
    taskId,
    session,
  }: { server: string; taskId: string; session: Session | undefined },
  servers: readonly HostedServer[],
  context: ServerContext,
): HostTask {
  const ask = askerOf(name, servers, context);
  if (session !== undefined) servers.find((one) => one.name === name)?.resume(session);
  const toOurs = (error: unknown) => toHostError(error, name);
  return {
    server: name,
    taskId,
    state: (options) =>
      ask((tasks, more) => tasks.get(taskId, more), options).catch((error: unknown) => {
        throw toOurs(error);
      }),
    async outcome(options) {
      const startedAt = performance.now();
      try {
        const reply = await ask<CallReply>(async (tasks, more) => {
          const timeoutMaxMs = Number.POSITIVE_INFINITY;
          const task = await tasks.get(taskId, more);
          return await tasks.finish(task, { ...more, timeoutMaxMs, leave: true });
        }, options);
        return outcomeOf(reply, performance.now() - startedAt);
      } catch (error) {
        return failureOf(toOurs(error), { sent: true, durationMs: performance.now() - startedAt });
      }
    },
    cancel: (options) =>
      ask((tasks, more) => tasks.cancel(taskId, more), options).catch((error: unknown) => {
        throw toOurs(error);
      }),
  };
}

/** As `Host.tasksOf`. @throws HostError */
export async function tasksOf(
  { server, signal }: { server: string; signal?: AbortSignal },
  servers: readonly HostedServer[],
  context: ServerContext,
): Promise<Task[] | undefined> {
  const ask = askerOf(server, servers, context);
  try {
    return await ask((tasks, options) => tasks.list(options), { ...(signal && { signal }) });
  } catch (error) {
    throw toHostError(error, server);
  }
}

// --- internal ---

type Ask = <T>(
  work: (tasks: ClientTasks, options: RequestOptions) => Promise<T>,
  options?: RequestOptions,
) => Promise<T>;

/** How one server is asked about tasks. @throws HostError `usage`: no such server */
function askerOf(name: string, servers: readonly HostedServer[], context: ServerContext): Ask {
  const server = servers.find((one) => one.name === name);
  const names = servers.map((one) => one.name);
  if (server === undefined) throw unknownServer(name, names);
  return async (work, { signal: given, timeoutMs = server.timeoutMs, ...more } = {}) => {
    const signal = given ? AbortSignal.any([given, context.signal]) : context.signal;
    const options = { ...more, signal, timeoutMs };
    return await server.use(async (client) => work(await client.tasks(), options), {
      signal,
      harmless: true,
    });
  };
}
