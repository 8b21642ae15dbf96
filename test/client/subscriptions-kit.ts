/** What the tests of subscriptions share: a follower, servers by hand, and streams that break as told. */
import type { JsonObject } from "../../lib/base/json.ts";
import { silent } from "../../lib/base/log.ts";
import { follow } from "../../lib/client/subscriptions.ts";
import type { FollowOptions } from "../../lib/client/subscriptions.ts";

type Heard = Parameters<FollowOptions["onUpdate"]>[0];

interface Following {
  heard: Heard[];
  /** What each opening said was missing. */
  opened: string[][];
  done: Promise<"ended" | "closed">;
  stop(): void;
}

/** Follows these topics until it is stopped. */
export function following(
  options: Pick<FollowOptions, "client" | "topics"> & Partial<FollowOptions>,
) {
  const heard: Heard[] = [];
  const opened: string[][] = [];
  const controller = new AbortController();
  const done = follow({
    name: "far",
    log: silent,
    signal: controller.signal,
    onOpen: (missing) => opened.push(missing),
    onUpdate: (update) => heard.push(update),
    ...options,
  });
  done.catch(() => {});
  const stop = () => controller.abort();
  return { heard, opened, done, stop } satisfies Following;
}

/** What was heard, in short. */
export const short = (heard: Heard[]) =>
  heard.map((one) =>
    one.kind === "list" ? one.list : one.kind === "resource" ? one.uri : "stale",
  );

/** Params that name their subscription. */
export const marked = (id: any): JsonObject => ({
  _meta: { "io.modelcontextprotocol/subscriptionId": id },
});
