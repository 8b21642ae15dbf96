/**
 * Errors in words: one to four lines for a person, or one JSON object for a program. The only place where errors of the
 * command line are rendered; it never decides an exit code and never reads a message to find out what happened.
 */
import { shorten } from "../base/clip.ts";
import { isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { hintOf } from "./flag-hints.ts";
import { oneLine, visible } from "./visible.ts";

export interface ReportOptions {
  /** One JSON object on one line instead of words. */
  json: boolean;
  /** The stack as well. */
  debug: boolean;
  /** stderr is a terminal: control characters are made visible. */
  terminal: boolean;
}

/** The whole text for stderr, newline included. */
export function report(error: unknown, options: ReportOptions): string {
  const told = tell(error);
  if (options.json) return `${jsonOf(told)}\n`;
  const lines = [`mcphost: ${oneLine(told.message, messageMax)}`];
  const { rpcData } = told.facts;
  if (rpcData !== undefined && rpcData !== null) lines.push(`  data: ${dataOf(rpcData)}`);
  const room = linesMax - lines.length - (told.hint === undefined ? 0 : 1);
  const stderr = Array.isArray(told.facts.stderr) ? told.facts.stderr.map(String) : [];
  for (const line of telling(stderr, room)) lines.push(`  stderr: ${shorten(line, 500)}`);
  if (told.hint !== undefined) lines.push(`  ${oneLine(told.hint, messageMax)}`);
  if (options.debug) lines.push(...stacks(error));
  const text = `${lines.join("\n")}\n`;
  return options.terminal ? visible(text) : text;
}

/**
 * The lines of a server's stderr that say most, oldest first: the last ones and the one that names the error, stack
 * frames and the runtime's own closing words left out as long as anything else is there.
 */
export function telling(stderr: readonly string[], max: number): string[] {
  if (max <= 0) return [];
  const said = stderr.filter((line) => line.trim() !== "");
  const words = said.filter((line) => !noise.some((pattern) => pattern.test(line)));
  const last = (words.length > 0 ? words : said).slice(-max);
  const name = words.findLast((line) => naming.test(line));
  return name === undefined || last.includes(name) ? last : [name, ...last.slice(1)];
}

// --- internal ---

const linesMax = 4;
const messageMax = 2000;

/** A line that names an error, as the runtimes of JavaScript, Python, Java, Go and Rust do. */
const naming =
  /^\s*(?:Uncaught |Caused by: |Exception in )?(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b.*: |^(?:error|fatal|panic)\b.*:/i;

/** Frames of JavaScript and Python, source excerpts with their carets, and what Node, Bun and npm end with. */
const noise: readonly RegExp[] = [
  /^\s+at |^\s*File ".*", line \d+/,
  /^\s*[\^~]+\s*$|^\s*[{}[\]],?\s*$|^\s*\d+ \| /,
  // Where Node itself throws, and the fields that it prints of the error.
  /^node:[\w/]+:\d+$|^\s+throw err;$|^\s+(code|errno|syscall|requireStack): /,
  /^(Node\.js|Bun) v\d/,
  /^npm (error|ERR!)( \d+)?( Note that .*| tarball, .*| A complete log .*)?\s*$/,
];

interface Told {
  code: string;
  message: string;
  hint: string | undefined;
  facts: Facts;
}

function tell(error: unknown): Told {
  if (isHostError(error)) {
    return { code: error.code, message: error.message, hint: hintOf(error), facts: error.facts };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RpcError) {
    const facts = { rpcCode: error.code, rpcData: error.data };
    return {
      code: "rpc_error",
      message: `error ${error.code}: ${message}`,
      hint: undefined,
      facts,
    };
  }
  return {
    code: "internal",
    message: `internal error: ${message}`,
    hint: "this is a fault of mcphost; --log-level debug shows where",
    facts: {},
  };
}

function jsonOf({ code, message, hint, facts }: Told): string {
  const body = { code, message, ...(hint !== undefined && { hint }) };
  try {
    return JSON.stringify({ error: { ...body, ...facts, ...body } });
  } catch {
    // Facts of a server can be too deep to be written.
    return JSON.stringify({ error: body });
  }
}

function dataOf(data: unknown): string {
  try {
    return shorten(JSON.stringify(data) ?? "", 500);
  } catch {
    return "(too deep to be shown)";
  }
}

function stacks(error: unknown): string[] {
  const lines: string[] = [];
  for (let e = error; e instanceof Error && lines.length < 100; e = e.cause) {
    if (e !== error) lines.push("  caused by:");
    lines.push(e.stack ?? String(e));
  }
  return lines;
}
