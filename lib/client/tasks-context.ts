/** The type of what everything about a server's tasks is done with. */
import type { Clock } from "../base/clock.ts";
import type { ConnectOptions } from "./connect-types.ts";
import type { McpClient } from "./types.ts";

/** A client, and what it was connected with. */
export interface TaskContext extends Pick<ConnectOptions, "name" | "answers" | "log" | "pagesMax"> {
  client: Pick<
    McpClient,
    "era" | "capabilities" | "request" | "onNotification" | "closed" | "keepSession"
  >;
  /** The progress token of the call that made the task, where it still is one (2025-11-25). */
  token?: number | undefined;
  /** @default the real one */
  clock?: Clock;
}
