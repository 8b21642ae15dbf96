/** What a config says of ourselves: how we are reached by others, and what we keep. Servers are not among it. */
import type { Origin } from "./origin.ts";

/** What a config says about how we are reached (`mcphost serve`); flags win over it. */
export interface ServeSettings {
  /** The address or name that we listen at. */
  host?: string;
  /** 0: any free one. */
  port?: number;
  /** Origins of pages that may ask. */
  origins?: string[];
  /** As written: a token may be a reference. */
  tokens?: ServeToken[];
  /** Where others reach us, where that is another address. */
  publicUrl?: string;
}

/** Who may ask, and for what. */
export interface ServeToken {
  name: string;
  token: string;
  /** Globs over names of tools. @default all */
  tools?: string[];
  /** Where it was written. */
  origin?: Origin;
}

/** What is kept of calls, and where: approvals, grants, the audit log. */
export interface RecordSettings {
  /** `postgres://…` or a file, as written: it may be a reference. @default a file in our state folder */
  store?: string;
  /** Where `store` was written. */
  origin?: Origin;
  /** Every call is written to the audit log. @default in `serve` and `gateway` alone */
  audit?: boolean;
  /** Events go to a file as JSON lines, too; absolute. */
  file?: string;
  /** Events go to stderr as JSON lines, too. */
  stderr?: boolean;
  /** How long events and approvals that ended are kept. @default 30 */
  days?: number;
  /** How many events are kept. @default 500000 */
  eventsMax?: number;
}
