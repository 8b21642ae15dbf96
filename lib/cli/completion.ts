/**
 * What can stand where the cursor is: a reading of the words before it, by the commands' own tables. It knows tools,
 * resources and prompts only as they were last listed; the world alone may ask a server, for values. The scripts of the
 * shells are in completion-scripts.ts.
 */
import { isPositional, type Reading, readLine } from "./args.ts";
import { actors, events, outcomes } from "./audit-filter.ts";
import { argumentsOf, toolNames } from "./completion-arguments.ts";
import { promptArguments, promptNames, resourceUris } from "./completion-features.ts";
import type { Suggest } from "./completion-features.ts";
import type { Candidate, Completion } from "./completion-types.ts";
import type { RecalledPrompt, RecalledResource } from "./feature-cache.ts";
import type { RecalledTool } from "./tool-cache.ts";
import type { Command, FlagDef, FlagTable, Parsed } from "./types.ts";

/** What completion may ask. Servers and tools are those of the flags that stand before the cursor. */
export interface World {
  commands(): Promise<readonly { name: string; description: string }[]>;
  command(name: string): Promise<Command | undefined>;
  /** Flags that stand before the command too. */
  common: FlagTable;
  servers(parsed: Parsed): Promise<string[]>;
  tools(parsed: Parsed): Promise<RecalledTool[]>;
  prompts(parsed: Parsed): Promise<RecalledPrompt[]>;
  resources(parsed: Parsed): Promise<RecalledResource[]>;
  /** Ids that a command takes: of tasks, of calls that wait, of grants. */
  ids(command: string, parsed: Parsed): Promise<Candidate[]>;
  /** Asks a server that may be started, within its own time. */
  suggest(parsed: Parsed): Suggest;
}

/** `words`: all words of the line up to the cursor, without the program's name; the last one is being written. */
export async function complete(words: readonly string[], world: World): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return { filesBehind: "" };
  const first = readLine({ words: before, rest: undefined }, world.common);
  const [one, two] = first.positionsAt;
  // `help` names a command, as the line itself does.
  const at = one !== undefined && before[one] === "help" ? two : one;
  const command = at === undefined ? undefined : await world.command(before[at] ?? "");
  const table = { ...world.common, ...command?.flags };
  const others = before.filter((_, index) => index !== at);
  const reading = readLine({ words: others, rest: undefined }, table);
  const place = { current, reading, table, world };
  const found =
    (await flagValue(place, others)) ??
    flagNames(place) ??
    (at === undefined
      ? (await world.commands()).map(({ name, description }) => ({ word: name, description }))
      : command && (await positional(place, command))) ??
    [];
  return Array.isArray(found) ? offered(found, current) : found;
}

// --- internal ---

interface Place {
  current: string;
  reading: Reading;
  table: FlagTable;
  world: World;
}

const wordsMax = 1000;

/** Value hints that stand for a few words. */
const choicesOf: Record<string, string> = {
  ACTOR: actors.join("|"),
  EVENT: events.join("|"),
  OUTCOME: outcomes.join("|"),
  WHAT: "tool|arguments|server|session",
  LEVEL: "debug|info|warn|error",
  ERA: "auto|legacy|modern|2026-07-28|2025-11-25|2025-06-18|2025-03-26|2024-11-05",
};

/** Those that fit what is written so far; what cannot stand on one line of a terminal is left out. */
function offered(found: Candidate[], current: string): Candidate[] {
  return found
    .filter(({ word }) => word.startsWith(current) && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(word))
    .slice(0, wordsMax);
}

/** The value of a flag: `--flag VALUE` or `--flag=VALUE`. */
async function flagValue(
  { current, reading, table, world }: Place,
  before: readonly string[],
): Promise<Completion | undefined> {
  const misfit = reading.misfits.at(-1);
  if (misfit?.reason === "no-value" && misfit.word === before.at(-1) && isPositional(current)) {
    const def = flagOf(table, misfit.word);
    return (
      def && (await ofKind(def.valueHint ?? "", { prefix: "", current }, world, reading.parsed))
    );
  }
  const equals = current.startsWith("-") ? current.indexOf("=") : -1;
  if (equals < 0) return undefined;
  const def = flagOf(table, current.slice(0, equals));
  if (def === undefined || def.type === "positional") return [];
  const kind = def.type === "boolean" ? "true|false" : (def.valueHint ?? "");
  const written = { prefix: current.slice(0, equals + 1), current: current.slice(equals + 1) };
  return await ofKind(kind, written, world, reading.parsed);
}

function flagNames({ current, table }: Place): Candidate[] | undefined {
  if (!current.startsWith("-")) return undefined;
  return Object.entries(table).flatMap(([name, { type, alias = [], description }]) => {
    if (type === "positional") return [];
    // Aliases are offered only to those who began to write them.
    const words = [name, ...alias.filter((word) => current.length > 2 && word.length > 1)];
    const short = current === "-" ? alias.filter((word) => word.length === 1) : [];
    return [
      ...words.map((word) => ({ word: word.length > 1 ? `--${word}` : `-${word}`, description })),
      ...short.map((word) => ({ word: `-${word}`, description })),
    ];
  });
}

function flagOf(table: FlagTable, word: string): FlagDef | undefined {
  const name = word.replace(/^--?/, "");
  return Object.entries(table).find(([key, def]) => key === name || def.alias?.includes(name))?.[1];
}

/** A positional by its place in the command's usage: `TOOL [ARG…]`. */
async function positional(
  { current, reading, world }: Place,
  command: Command,
): Promise<Completion> {
  const { parsed } = reading;
  const kinds = command.usage.split(/\s+/).map((word) => word.replace(/^\[|\]$/g, ""));
  const end = kinds.indexOf("--");
  const usable = end < 0 ? kinds : kinds.slice(0, end);
  const last = usable.at(-1);
  const kind = usable[parsed.positionals.length] ?? (last?.endsWith("…") ? last : "");
  const { positionals } = parsed;
  if (kind.startsWith("ARG")) {
    if (usable[0] !== "PROMPT")
      return await argumentsOf(current, positionals, await world.tools(parsed));
    return await promptArguments(
      current,
      positionals,
      await world.prompts(parsed),
      world.suggest(parsed),
    );
  }
  const word = kind.replace("…", "");
  if (word === "ID") return await world.ids(command.name, parsed);
  const meant = word === "PATTERN" ? patternOf[command.name] : undefined;
  return await ofKind(meant ?? word, { prefix: "", current }, world, parsed);
}

/** What the patterns of some commands are of. */
const patternOf: Readonly<Record<string, string>> = { prompts: "PROMPT", resources: "URI" };

/** What a word of the usage or a value hint stands for; `prefix` is what stands before it in its word. */
async function ofKind(
  kind: string,
  { prefix, current }: { prefix: string; current: string },
  world: World,
  parsed: Parsed,
): Promise<Completion> {
  const words = (list: readonly string[]) => list.map((word) => ({ word: prefix + word }));
  const choices = choicesOf[kind] ?? kind;
  if (choices.includes("|")) return words(choices.split("|"));
  if (/^(FILE|DIR|PATH)/.test(kind)) return { filesBehind: prefix };
  if (kind === "SERVER") return words(await world.servers(parsed));
  if (kind === "PROMPT") return promptNames(current, await world.prompts(parsed));
  if (kind === "URI")
    return await resourceUris(current, await world.resources(parsed), world.suggest(parsed));
  if (kind !== "TOOL" && kind !== "PATTERN") return [];
  const names = toolNames(current, await world.tools(parsed));
  return names.map((candidate) => ({ ...candidate, word: prefix + candidate.word }));
}
