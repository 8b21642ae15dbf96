/**
 * Reads texts that should each hold one message or a batch, since what carried them has its own bounds: the data of an
 * event, a WebSocket message. What is no message is said and never fatal; one that was meant as an answer fails its
 * request. It reads no bytes and keeps nothing.
 */
import { parseJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { compact } from "../base/slice.ts";
import { isPlainAnswer, readMessage, readMessages } from "../protocol/read.ts";
import type { Reading } from "../protocol/read.ts";
import { brokenMessage } from "./broken.ts";
import { lostInText } from "./encoding.ts";
import { clipNoise, elementText, parse } from "./text.ts";
import type { Incoming } from "./transport.ts";

export interface TextReaderOptions {
  /** The server's configured name, for the log. */
  name: string;
  log: Log;
  /** What the texts are, for the log: "event", "WebSocket message". */
  unit: string;
  /** The longest message; only told. */
  bytesMax: number;
}

/** The messages of one text, in order. `bytes`: how many it was decoded from, where that is known. */
export type TextReader = (text: string, bytes?: number) => Incoming[];

/** Warns of the first few texts that are no JSON; what is JSON but no message (a heartbeat) is a debug entry. */
export function textReader({ name, log, unit, bytesMax }: TextReaderOptions): TextReader {
  let warnings = 0;
  let hasLost = false;
  const say = (level: "debug" | "warn", text: string) => log({ level, server: name, text });
  const noise = (text: string, reason: string, isJson: boolean) => {
    const level = isJson || ++warnings > warningsMax ? "debug" : "warn";
    say(level, `its ${unit} is no message (${reason}): ${clipNoise(text)}`);
  };
  const take = (reading: Reading, text: string): Incoming[] => {
    if (reading.message === undefined) noise(text, reading.noise, true);
    else if (reading.odd !== undefined) say("debug", `a message with ${reading.odd}`);
    return reading.message === undefined ? [] : [{ message: reading.message, text }];
  };
  const read: TextReader = (whole, bytes) => {
    if (bytes !== undefined && !hasLost && lostInText(whole, bytes)) {
      hasLost = true;
      say("warn", `its ${unit} is not UTF-8: characters are lost`);
    }
    const text = compact(whole.trim());
    const value = parse(text);
    if (isPlainAnswer(value)) return [{ message: value, text }];
    if (Array.isArray(value) && value.length > 0) {
      const exact = parseJson(text) as unknown[];
      return readMessages(value).flatMap((reading, index) =>
        take(reading, elementText(exact[index])),
      );
    }
    if (value !== undefined) return take(readMessage(value), text);
    const lines = linesOf(whole);
    if (lines !== undefined) return lines.flatMap((line) => read(line));
    const broken = brokenMessage(text, bytesMax);
    if (broken !== undefined) return [broken];
    if (text !== "") noise(text, "not JSON", false);
    return [];
  };
  return read;
}

// --- internal ---

const warningsMax = 3;

/** Several messages, a line each, as what only passes on a pipe may join them; undefined for anything else. */
function linesOf(text: string): string[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => parse(line.trim()) !== undefined)
    ? lines
    : undefined;
}
