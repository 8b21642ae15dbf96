/** The audit log as JSON lines in a file and on stderr, beside the store. */
import { settlesWithin } from "../base/async.ts";
import { errnoOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { RecordSettings } from "../config/setting-types.ts";
import type { AuditEvent } from "../store/types.ts";
import { auditLine } from "./audit-line.ts";
import type { Io } from "./types.ts";

export interface Tap {
  write(event: AuditEvent): void;
  /** Resolves when all is written, or cannot be. */
  end(): Promise<void>;
}

/** Undefined where neither is asked for. In order, and nobody waits: what cannot be written is told once, and is lost. */
export function tapOf({ file, stderr }: RecordSettings, io: Io, log: Log): Tap | undefined {
  if (file === undefined && stderr !== true) return undefined;
  let text = "";
  let writing: Promise<void> | undefined;
  let isFailing = false;
  // Of a write that failed, or of a process that was ended in one, a part of a line may stand there.
  let isWhole = false;
  const failed = (why: string) => {
    if (!isFailing)
      log({ level: "error", text: `the audit file ${file} cannot be written (${why})` });
    isFailing = true;
  };
  const flush = async () => {
    while (text !== "") {
      const lines = text;
      text = "";
      try {
        if (stderr === true) await io.stderr.write(lines);
        if (file !== undefined)
          await append(file, !isWhole && (await isTorn(file)) ? `\n${lines}` : lines);
        isWhole = true;
        if (isFailing) log({ level: "warn", text: `the audit file ${file} is written again` });
        isFailing = false;
      } catch (error) {
        isWhole = false;
        failed(errnoOf(error) ?? String(error));
      }
    }
    writing = undefined;
  };
  return {
    write(event) {
      if (text.length > waitingMax) return failed("it takes nothing");
      text += `${auditLine(event)}\n`;
      writing ??= Promise.resolve().then(flush);
    },
    async end() {
      if (writing !== undefined && !(await settlesWithin(writing, endMs)))
        failed(`it took nothing in ${endMs} ms`);
    },
  };
}

// --- internal ---

/** Characters that wait for a pipe whose reader is slow, or not there. */
const waitingMax = 16_777_216;
/** How long the end of the command waits for it. */
const endMs = 2000;

/** Whether its last line has no end. */
async function isTorn(path: string): Promise<boolean> {
  const file = Bun.file(path);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size === 0) return false;
    return (await file.slice(stat.size - 1, stat.size).text()) !== "\n";
  } catch {
    // It is not there, or may be written and not read.
    return false;
  }
}

async function append(file: string, text: string): Promise<void> {
  const { appendFile } = await import("node:fs/promises");
  await appendFile(file, text, { mode: 0o600 });
}
