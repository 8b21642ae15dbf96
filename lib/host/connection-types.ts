/** What the connection of one server is made with, and how long it is waited for. Types only. */
import type { LaunchContext } from "./launch-types.ts";
import type { OddLists } from "./odd-lists.ts";
import type { HostedConfig } from "./server-types.ts";
import type { EventType, HostEvent } from "./types.ts";

/** What all servers of a host share. */
export interface ServerContext extends LaunchContext {
  emit: (event: HostEvent) => void;
  /** Somebody wants to know of such events: where nobody does, none needs to be made. */
  hears: (type: EventType) => boolean;
  /** Others use its servers: their queues are bounded. @default false */
  isLent?: boolean;
  /** What is odd in lists is told there once. @default whoever lists is given it, and nobody else */
  oddLists?: OddLists;
  /** Those have several owners. @default one */
  isShared?: () => boolean;
}

export interface ConnectionOptions {
  /** Read anew for each start. */
  readonly config: HostedConfig;
  context: ServerContext;
  /** Tells what happens to the server. */
  emit: ServerContext["emit"];
  /** What must have ended before the server is started: the one whose place it takes. */
  after?: Promise<unknown> | undefined;
  /** The server says that a list of its changed. */
  onListChanged: (list: "tools" | "prompts" | "resources") => void;
}

export interface WaitOptions {
  signal: AbortSignal;
  /** The longest wait for a start that is put off. */
  waitMs: number;
}
