/** What a start of a server, or a connection to one, is given. Types only. */
import type { JsonObject } from "../base/json.ts";
import type { Child, Reaper } from "../process/child.ts";
import type { Session } from "../protocol/mcp.ts";
import type { OpenHostOptions } from "./option-types.ts";
import type { OwnLinks } from "./own-link.ts";
import type { RemoteLink } from "./started.ts";

/** What all starts of a host share. */
export interface LaunchContext extends OpenHostOptions {
  /** The reaper, started when first asked for; undefined where there is none. */
  guard: () => Reaper | undefined;
  /** The process of a server that runs already, once. */
  take: (server: string) => Child | undefined;
  /** Is told of each process as soon as it runs. */
  spawned: (child: Child) => void;
  /** Is told of each link to a remote server. */
  linked: (link: RemoteLink) => void;
  /** Is told of each log notification of a server. */
  heard: (server: string, params: JsonObject) => void;
  /** Links to remote servers, which are marked as ours. @default none are */
  ownLinks?: OwnLinks;
  /** Keeps a promise that must be done before the host leaves. */
  keep: (work: Promise<void>) => void;
}

export interface LaunchOptions {
  context: LaunchContext;
  /** Gives up the start; afterwards it has no meaning. */
  signal: AbortSignal;
  onListChanged: (list: "tools" | "prompts" | "resources") => void;
  /** As of the client. */
  onSilent?: () => void;
  /** A session that is gone on with, where the server is reached over HTTP. */
  session?: Session | undefined;
  /** What is remembered of the server's era is wrong. @default false */
  forget?: boolean;
}
