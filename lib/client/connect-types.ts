/** What a client is connected with, and what is remembered of it for the next time. Types only. */
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type {
  Capabilities,
  Era,
  Implementation,
  McpLogLevel,
  ProtocolChoice,
  Session,
} from "../protocol/mcp.ts";
import type { LinkKind } from "../protocol/probe.ts";
import type { Transport } from "../transport/transport.ts";
import type { Answers } from "./answer-types.ts";

/** What is known of a server's era from an earlier run. */
export interface Verdict {
  era: Era;
  /** The negotiated revision. */
  revision: string;
  /** `name@version` of the server when this was learned: another version makes it stale. */
  server?: string;
  /** What a modern server said it can: over HTTP it is not asked again. @default not known */
  capabilities?: Capabilities;
  /** Which transport a URL was found to speak. @default "http" */
  transport?: "sse";
  /** Learned under another version of the server, or wrong: forget it, and probe the next time. */
  stale?: true;
}

export interface ConnectOptions {
  /** The server's configured name. */
  name: string;
  /** Opens a link; called again when the server ended on the probe. */
  open: () => Promise<Transport>;
  /**
   * What kind of link `open` opens. Over HTTP a server that is remembered as modern is not asked before it is used.
   * @default "pipe"
   */
  link?: LinkKind;
  clientInfo: Implementation;
  answers: Answers;
  log: Log;
  signal: AbortSignal;
  /** @default "auto" */
  protocol?: ProtocolChoice;
  /** A session that is gone on with: nothing is asked before it is used. Only over Streamable HTTP. */
  session?: Session | undefined;
  /** A remembered verdict; saves the probe. */
  verdict?: Verdict | undefined;
  /** What to ask servers to log. @default nothing is asked */
  logLevel?: McpLogLevel;
  /** @default 1000 */
  probeTimeoutMs?: number;
  /** For `initialize` and, with a verdict `modern`, for `server/discover`. @default 60000 */
  startTimeoutMs?: number;
  /** @default 1000 */
  pagesMax?: number;
  /** @default 20000 */
  toolsMax?: number;
  /** Input rounds of one call. @default 10 */
  roundsMax?: number;
  /** Called for each change that the server tells of, declared or not; bursts are not coalesced. Never before `connect` is done. */
  onListChanged?: (list: "tools" | "prompts" | "resources") => void;
  /** A request ran out, and nothing at all was heard from the server since it was begun. */
  onSilent?: (() => void) | undefined;
  /** Is given each log notification as it came, beside the entry that the log gets. */
  onLog?: ((params: JsonObject) => void) | undefined;
  /** The same link, for whoever looks on at what goes over it. @default nobody */
  seen?: ((link: Transport) => Transport) | undefined;
}
