/** What changes when an open host gets other servers or rules. Types only. */
import type { Limits, PolicyRule } from "../config/types.ts";
import type { OpenedHost } from "./opened-types.ts";
import type { HostedConfig } from "./server-types.ts";

/** What a host is to own from now on. */
export interface Reconfiguration {
  /** In the order of the config, which decides names; disabled ones are left out. */
  servers: readonly HostedConfig[];
  policy: PolicyRule[];
  /** For what is started or reached from now on. @default as before */
  limits?: Partial<Limits>;
  /** Others are to be told that all lists changed, for reasons of their own. @default false */
  relist?: boolean;
  /** How long calls on servers that are removed or changed have to end; then they are told. @default 10000 */
  graceMs?: number;
}

/** What became of it: names of servers, each in one of the lists. */
export interface Reconfigured {
  added: string[];
  removed: string[];
  /** Stopped; the next use starts it by its new entry. */
  changed: string[];
  /** Untouched as processes, but with other names, filters or times. */
  adjusted: string[];
  kept: string[];
}

/** Called as soon as the servers or the rules of a host are others, before anybody is told. It takes no time and never throws. */
export type Follower = (change: Reconfigured) => void;

/** A host whose servers and rules may be replaced while it is open. */
export interface ChangeableHost extends OpenedHost {
  /**
   * Adds, stops and replaces only the servers whose entries are others; calls on the rest go on. One that is changed starts
   * only after the process whose place it takes has ended. Resolves as soon as the new servers count.
   */
  reconfigure(next: Reconfiguration): Promise<Reconfigured>;
}
