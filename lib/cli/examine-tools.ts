/** The tools of one server for the doctor, listed once. */
import type { McpClient, ToolList } from "../client/types.ts";
import { toListError } from "../host/failure.ts";
import { whenFilled } from "../host/late-tools.ts";
import { mayFill } from "../host/tool-list.ts";
import type { ExamineOptions } from "./examine-types.ts";

/** As a host lists them: a bridge may have its tools a moment later. @throws HostError why there is no list */
export async function listOf(
  client: McpClient,
  server: string,
  { signal, timeoutMs }: ExamineOptions,
): Promise<ToolList> {
  let told = Promise.withResolvers<void>();
  using _listening = client.onNotification((method) => {
    if (method === "notifications/tools/list_changed") told.resolve();
  });
  const fetch = () => {
    told = Promise.withResolvers();
    return client.listTools({ signal, ...(timeoutMs !== undefined && { timeoutMs }) });
  };
  try {
    const list = await fetch();
    return mayFill(list, client)
      ? await whenFilled(client, { fetch, changed: () => told.promise })
      : list;
  } catch (error) {
    throw toListError(error, server);
  }
}
