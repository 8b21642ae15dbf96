/** Tools that come a moment after their server: what it is a bridge to (an editor, an engine) has to connect first. */
import { settlesWithin } from "../base/async.ts";
import type { McpClient, ToolList } from "../client/types.ts";

export interface LateOptions<List> {
  fetch: () => Promise<List>;
  /** Resolves when a change of the list is told, at once where one was since the last fetch began. */
  changed: () => Promise<unknown>;
}

/** The list that comes after an empty one: it is fetched when a change is told, and once more in the end. @throws as the fetch */
export async function whenFilled<List extends ToolList>(
  client: McpClient,
  { fetch, changed }: LateOptions<List>,
): Promise<List> {
  const endsAt = performance.now() + patienceMs;
  while (true) {
    await settlesWithin(Promise.race([changed(), client.closed]), endsAt - performance.now());
    const list = await fetch();
    if (list.tools.length > 0 || performance.now() >= endsAt) return list;
  }
}

// --- internal ---

/** Nobody minds it where there are none at all, and most bridges are connected by then. */
const patienceMs = 2000;
