/** What the doctor's look at a server is given, and what it brings back. Types only. */
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import type { McpClient, ToolList } from "../client/types.ts";
import type { Limits, ServerConfig } from "../config/types.ts";
import type { OpenHostOptions } from "../host/option-types.ts";
import type { Reaper } from "../process/child.ts";
import type { Examination } from "./doctor-types.ts";

export interface ExamineOptions {
  prepare: OpenHostOptions["prepare"];
  /** Ours. */
  env: Record<string, string | undefined>;
  cwd: string;
  limits: Partial<Limits>;
  reaper: Reaper | undefined;
  /** For the start, and again for the list. @default the server's own, else 60000 */
  timeoutMs?: number | undefined;
  log: Log;
  /** What is declared to servers: some hide tools from whom they cannot ask. */
  answers: Answers;
  signal: AbortSignal;
}

/** What was seen, and what is worth keeping of it. */
export interface Examined {
  seen: Examination;
  ready?: ServerConfig;
  client?: Pick<McpClient, "verdict">;
  list?: ToolList;
}
