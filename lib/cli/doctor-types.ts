/** What the doctor sees of a server, and what it says. */
import type { HostError } from "../base/errors.ts";
import type { StopReport } from "../process/child.ts";
import type { Implementation } from "../protocol/mcp.ts";

/** What was seen of one server. */
export interface Examination {
  name: string;
  /** Another server with the same command line and settings. */
  sameAs?: string;
  /** The entry could not be used at all (bad, unset variable, untrusted, not offered yet): nothing was started. */
  unusable?: HostError;
  /** What was started, expanded; absent where nothing was. */
  started?: {
    command: string;
    args: readonly string[];
    /** Where the command was found; undefined: nowhere. */
    path: string | undefined;
    /** The PATH it was looked for on. */
    searched: string;
    cwd: string;
    cwdExists: boolean;
    /** Names of the variables that the server got. */
    env: readonly string[];
  };
  /** Where it was looked for, as a URL with nothing secret left out; absent for a server that is started. */
  reached?: { url: string; transport: string };
  /** Names of the variables that we have. */
  ourEnv: readonly string[];
  /** Why it did not come up, or did not list its tools. */
  error?: HostError;
  /** From the start to the end of the handshake; of a remote server, until it was connected. */
  startMs?: number;
  era?: string;
  revision?: string;
  serverInfo?: Implementation;
  /** How many are offered. */
  tools?: number;
  /** How many are not: `allowedTools` or `deniedTools` say so. */
  toolsHidden?: number;
  /** What was odd in the list of tools, their names and filters. */
  warnings?: readonly string[];
  /** Lines of stdout that were no message. */
  noise?: { count: number; first: readonly string[]; contentLength: boolean };
  /** Characters of its messages were lost. */
  lostCharacters?: true;
  stderr?: readonly string[];
  stop?: StopReport;
  /** From the end of its stdin to its end; only where it had answered. */
  stopMs?: number;
}

export interface Finding {
  level: "error" | "warn";
  /** A word for programs; it stays when the text changes. */
  code: string;
  text: string;
  hint?: string;
}

export interface Diagnosis {
  name: string;
  /** `config`: it cannot be used as it is configured; `failed`: it was started, or tried to be, and did not work. */
  status: "ok" | "config" | "failed";
  findings: Finding[];
}

/** Something is wrong that does not keep the server from working. */
export function warning(code: string, text: string, hint?: string): Finding {
  return { level: "warn", code, text, ...(hint !== undefined && { hint }) };
}

/** Something that keeps the server from working. */
export function fault(code: string, text: string, hint?: string): Finding {
  return { ...warning(code, text, hint), level: "error" };
}
