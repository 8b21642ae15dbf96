/**
 * How work is done with a client of one server: with the one that everybody shares, or with one of its own. Calls are such
 * work, and are sent nowhere else.
 */
import type { JsonObject } from "../base/json.ts";
import type { McpClient } from "../client/types.ts";
import type { WaitOptions } from "./connection-types.ts";
import type { Connection } from "./connection.ts";
import type { Remote, SendCall } from "./remote.ts";
import type { CallOptions, UseOptions } from "./server-types.ts";

/** @throws what the work throws, and as a start */
export async function workWith<T>(
  work: (client: McpClient) => Promise<T>,
  wait: WaitOptions & Pick<UseOptions, "harmless">,
  at: { connection: Connection; remote: Remote | undefined; isAlone: boolean },
): Promise<T> {
  const { connection, remote, isAlone } = at;
  const { ready } = connection;
  if (remote !== undefined) {
    if (isAlone) return await remote.useAlone(work, wait);
    return await (ready ? remote.useReady(ready, work, wait) : remote.use(work, wait));
  }
  if (!isAlone) {
    const client = ready ?? (await connection.shared(wait));
    return await connection.watch(client, work(client));
  }
  await using client = await connection.taken(wait);
  return await connection.watch(client, work(client));
}

/** A call, to be sent to whatever client there is by then. */
export function sender(tool: string, args: JsonObject, options: CallOptions): SendCall {
  const { onSending } = options;
  const send: SendCall = (client, headers) =>
    client.callTool(tool, args, headers === undefined ? options : { ...options, headers });
  if (onSending === undefined) return send;
  return async (client, headers) => {
    await onSending();
    return await send(client, headers);
  };
}

/** How long a call waits for a client. */
export function waitOf({ cancel, timeoutMs: waitMs }: CallOptions): WaitOptions {
  return { signal: cancel.signal, waitMs };
}
