/** What the one call path goes through. Types only. */
import type { Log } from "../base/log.ts";
import type { PolicyRule } from "../config/types.ts";
import type { Outcome } from "../hooks/call.ts";
import type { ServerContext } from "./connection-types.ts";
import type { ApprovalKeeper, Approver, Gate } from "./gate-types.ts";
import type { Recorder } from "./record-types.ts";
import type { Registry } from "./registry.ts";
import type { RunningCalls } from "./running.ts";
import type { Validator } from "./validate.ts";

export interface CallContext {
  registry: Registry;
  policy: readonly PolicyRule[];
  validator: Validator;
  /** What every call goes through. @default only one that is asked about goes through one */
  gate?: Gate | undefined;
  approve?: Approver | undefined;
  /** @default what is asked about is not kept */
  keeper?: ApprovalKeeper | undefined;
  approvalTimeoutMs?: number | undefined;
  /** @default nothing is written down */
  record?: Recorder | undefined;
  emit: ServerContext["emit"];
  hears: ServerContext["hears"];
  log: Log;
  running: RunningCalls;
  /** As it is for calls that begin now: other servers and rules, once the host was changed. */
  latest: () => CallContext;
  /** Ends every call. */
  signal: AbortSignal;
}

/** Whoever waits for the outcome of a call. */
export type Settle = (outcome: Outcome) => void;
