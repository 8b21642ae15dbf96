/**
 * The command line as data: what stands before `--` is split into flags and positionals by a command's own table, what
 * stands behind it is a server's and is never looked at. Pure; it starts nothing and reads no file.
 */
import { HostError } from "../base/errors.ts";
import type { FlagDef, FlagTable, Parsed } from "./types.ts";

export interface Line {
  /** Everything before the first `--`. */
  words: string[];
  /** Everything after it; undefined where there was none. */
  rest: string[] | undefined;
}

/** Cuts an argv at its first `--`. */
export function cutLine(argv: readonly string[]): Line {
  const at = argv.indexOf("--");
  if (at < 0) return { words: [...argv], rest: undefined };
  return { words: argv.slice(0, at), rest: argv.slice(at + 1) };
}

/** One word that the table could not place: unknown, without its value, or with one it does not take. */
interface Misfit {
  word: string;
  reason: "unknown" | "no-value" | "not-boolean" | "no-negation";
  /** Where in `words` it stood. */
  at: number;
}

/** A parsed line, the misfits in it, and where in `words` each positional stood. */
export interface Reading {
  parsed: Parsed;
  misfits: Misfit[];
  positionsAt: number[];
}

/** Reads a line by a table. Never throws: what is wrong is in `misfits`. */
export function readLine(line: Line, table: FlagTable): Reading {
  const reader = new Reader(line, table);
  while (reader.next());
  return reader.reading;
}

/** True for a word that stands for itself although it begins with a dash: `-` and negative numbers. Flags cost no expression. */
export function isPositional(word: string): boolean {
  if (!word.startsWith("-") || word === "-") return true;
  return "0123456789.".includes(word.charAt(1)) && /^-(\d|\.\d)[\d.eE+_-]*$/.test(word);
}

/** @throws HostError `usage` for the first misfit, naming the nearest flag */
export async function checkReading(reading: Reading, table: FlagTable, command: string) {
  const [misfit] = reading.misfits;
  if (!misfit) return;
  const { word, reason } = misfit;
  const flag = word.split("=", 1)[0] ?? word;
  const hint = `mcphost ${command} --help lists the flags`;
  if (reason === "no-value")
    throw new HostError("usage", `${flag} needs a value`, {
      hint: `a value that begins with "-" is written ${flag}=VALUE`,
    });
  if (reason === "not-boolean")
    throw new HostError("usage", `${flag} is on or off, and takes no value but true and false`, {
      hint,
    });
  if (reason === "no-negation")
    throw new HostError("usage", `${flag} cannot be switched off`, { hint });
  const { nearest } = await import("../base/nearest.ts");
  const name = flag.replace(/^-+/, "");
  const known = table["header"] === undefined ? undefined : ofCurl[name];
  if (known !== undefined)
    throw new HostError("usage", `unknown flag ${flag}`, { hint: `${known}; ${hint}` });
  // Every letter is near every other.
  const [best] = name.length === 1 ? [] : nearest(name, flagWords(table), 1);
  // Other clients take a tool's arguments as flags.
  const isArgument = command === "call" && flag.startsWith("--");
  const argument = isArgument ? `an argument of the tool is written ${name}=VALUE; ` : "";
  const meant = best === undefined ? argument : `did you mean ${dashed(best)}? `;
  const isServers = best === undefined && hasStrayCommand(reading, table, command);
  throw new HostError("usage", `unknown flag ${flag}`, {
    facts: best === undefined ? {} : { nearest: dashed(best) },
    hint: (isServers ? "a server's command stands behind --; " : meant) + hint,
  });
}

// --- internal ---

/** Whether the first misfit stands behind a word that is likely the program of a server: no argument, and not the tool. */
function hasStrayCommand(reading: Reading, table: FlagTable, command: string): boolean {
  const { parsed, positionsAt, misfits } = reading;
  if (parsed.rest !== undefined || table["-- COMMAND…"] === undefined) return false;
  const before = parsed.positionals.filter((_, i) => (positionsAt[i] ?? 0) < (misfits[0]?.at ?? 0));
  const words = before.slice(command === "call" ? 2 : 1);
  return words.some((word) => /^[\w@./-]+$/.test(word) && word !== "-");
}

/** Flags that everybody knows from curl, and what does the same here. */
const ofCurl: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  k: "tls.insecure of a server, in a config, takes any certificate",
  insecure: "tls.insecure of a server, in a config, takes any certificate",
  H: "a header is given by --header 'K: V'",
  u: "a user and password stand in the URL: https://USER:PASSWORD@HOST/…",
  cacert: "tls.ca of a server, in a config, names the file",
});

class Reader {
  readonly reading: Reading;
  readonly #byWord = new Map<string, string>();
  readonly #line: Line;
  readonly #table: FlagTable;
  #index = 0;

  constructor(line: Line, table: FlagTable) {
    this.#line = line;
    this.#table = table;
    for (const [name, def] of Object.entries(table)) {
      if (def.type === "positional") continue;
      for (const word of [name, ...(def.alias ?? [])]) this.#byWord.set(word, name);
    }
    const flags: Parsed["flags"] = Object.create(null);
    const parsed: Parsed = { flags, positionals: [], rest: line.rest };
    this.reading = { parsed, misfits: [], positionsAt: [] };
  }

  /** Takes one word, and the value behind it; false at the end. */
  next(): boolean {
    const word = this.#line.words[this.#index];
    if (word === undefined) return false;
    if (isPositional(word)) {
      this.reading.parsed.positionals.push(word);
      this.reading.positionsAt.push(this.#index);
    } else if (word.startsWith("--")) this.#long(word);
    else this.#short(word);
    this.#index++;
    return true;
  }

  #long(word: string) {
    const equals = word.indexOf("=");
    const key = equals < 0 ? word.slice(2) : word.slice(2, equals);
    const given = equals < 0 ? undefined : word.slice(equals + 1);
    const name = key.length > 1 ? this.#byWord.get(key) : undefined;
    if (name !== undefined) return this.#set(name, word, given);
    const negated = key.startsWith("no-") ? this.#byWord.get(key.slice(3)) : undefined;
    if (negated === undefined) return this.#misfit(word, "unknown");
    if (this.#table[negated]?.type !== "boolean" || given !== undefined)
      return this.#misfit(word, "no-negation");
    this.reading.parsed.flags[negated] = false;
  }

  /** `-s v`, `-s=v`, `-sv`, and switches run together (`-qA`). */
  #short(word: string) {
    for (let at = 1; at < word.length; at++) {
      const name = this.#byWord.get(word[at] ?? "");
      const def = name === undefined ? undefined : this.#table[name];
      if (name === undefined || !def) return this.#misfit(word, "unknown");
      const behind = word.slice(at + 1);
      if (def.type === "string")
        return this.#set(name, word, behind === "" ? undefined : behind.replace(/^=/, ""));
      if (behind.startsWith("=")) return this.#set(name, word, behind.slice(1));
      this.#set(name, word, undefined);
    }
  }

  #set(name: string, word: string, given: string | undefined) {
    const def = this.#table[name] as FlagDef;
    const flags = this.reading.parsed.flags;
    if (def.type === "boolean") {
      if (given !== undefined && given !== "true" && given !== "false")
        return this.#misfit(word, "not-boolean");
      flags[name] = given !== "false";
      return;
    }
    const value = given ?? this.#value();
    if (value === undefined) return this.#misfit(word, "no-value");
    const before = flags[name];
    flags[name] = def.repeat ? [...(Array.isArray(before) ? before : []), value] : value;
  }

  /** The next word as a value, unless it is a flag itself. */
  #value(): string | undefined {
    const word = this.#line.words[this.#index + 1];
    if (word === undefined || !isPositional(word)) return undefined;
    this.#index++;
    return word;
  }

  #misfit(word: string, reason: Misfit["reason"]) {
    this.reading.misfits.push({ word, reason, at: this.#index });
  }
}

function flagWords(table: FlagTable): string[] {
  return Object.entries(table).flatMap(([name, def]) =>
    def.type === "positional" ? [] : [name, ...(def.alias ?? [])],
  );
}

function dashed(word: string): string {
  return word.length === 1 ? `-${word}` : `--${word}`;
}
