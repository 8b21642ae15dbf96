/**
 * Which command a line means, and the line read by that command's table. Flags may stand before the command, so the
 * command is the first word that its own table reads as the first positional. It runs nothing.
 */
import { HostError } from "../base/errors.ts";
import { checkReading, readLine } from "./args.ts";
import type { Line, Reading } from "./args.ts";
import { commonFlags, policyFlags, serverFlags } from "./flags.ts";
import { commands, loaderOf } from "./table.ts";
import type { Command, Parsed } from "./types.ts";

export type Route =
  | { kind: "run"; command: Command; parsed: Parsed }
  /** `bare`: nobody asked for it, there was just nothing else. */
  | { kind: "help"; command: Command | undefined; bare: boolean }
  | { kind: "version" };

/** @throws HostError `usage`, naming the nearest command or flag */
export async function route(line: Line): Promise<Route> {
  const { words, rest } = line;
  if (words.includes("--help") || words.includes("-h") || words[0] === "help")
    return { kind: "help", command: await commandToExplain(line), bare: false };
  if (words.length === 0 && rest === undefined)
    return { kind: "help", command: undefined, bare: true };
  const found = await find(line);
  if (found) {
    const { command, reading } = found;
    await checkReading(reading, command.flags, command.name);
    const [, ...positionals] = reading.parsed.positionals;
    return { kind: "run", command, parsed: { ...reading.parsed, positionals } };
  }
  const isVersion = words.includes("--version") || words.includes("-V");
  if (isVersion && wordIn(line) === undefined) return { kind: "version" };
  throw await noCommand(line);
}

// --- internal ---

interface Found {
  command: Command;
  reading: Reading;
}

async function find(line: Line): Promise<Found | undefined> {
  let first: Found | undefined;
  for (let at = 0; at < line.words.length; at += 1) {
    const load = loaderOf(line.words[at] as string);
    if (load === undefined) continue;
    const { default: command } = await load();
    const reading = readLine(line, command.flags);
    const isCommand = reading.positionsAt[0] === at;
    if (isCommand && !reading.misfits.some((misfit) => misfit.at < at)) return { command, reading };
    if (isCommand) first ??= { command, reading };
  }
  return first;
}

/** Undefined: all of them. @throws HostError `usage`: there is no such command */
async function commandToExplain({ words, rest }: Line): Promise<Command | undefined> {
  const asked = words.filter((word) => word !== "--help" && word !== "-h");
  while (asked[0] === "help") asked.shift();
  const line = { words: asked, rest };
  const found = await find(line);
  if (found === undefined && wordIn(line) !== undefined) throw await noCommand(line);
  return found?.command;
}

const anyFlags = { ...commonFlags, ...serverFlags, ...policyFlags };

/** What stands where a command should, as far as can be told without one. */
function wordIn(line: Line): string | undefined {
  return readLine(line, anyFlags).parsed.positionals[0];
}

async function noCommand(line: Line): Promise<HostError> {
  const reading = readLine(line, anyFlags);
  const word = reading.parsed.positionals[0];
  if (word === undefined) await checkReading(reading, anyFlags, "COMMAND");
  if (line.rest ? word === undefined : await beganWithDashes(line.words))
    return new HostError("usage", "no command was given before --", {
      hint: "did you mean mcphost tools -- …, or mcphost call TOOL -- …?",
    });
  const all = "mcphost alone lists the commands";
  if (word === undefined) return new HostError("usage", "no command was given", { hint: all });
  const { didYouMean, nearest } = await import("../base/nearest.ts");
  const best = otherWords.get(word) ?? nearest(word, Object.keys(commands), 1)[0];
  const { isUrl } = await import("../config/links.ts");
  const reached = isUrl(word) ? "reached by mcphost tools -s" : "started by mcphost tools --";
  const started = line.rest ? "" : `, a server is ${reached} ${word} …`;
  return new HostError("usage", `unknown command "${word}"`, {
    facts: best === undefined ? {} : { nearest: best },
    hint:
      best === undefined
        ? `a tool is called by mcphost call ${word}${started}`
        : `${didYouMean([`mcphost ${best}`])} ${all}`,
  });
}

/** What other programs call what we have. */
const otherWords = new Map([
  ["version", "--version"],
  ["list", "tools"],
  ["ls", "tools"],
  ["exec", "call"],
  ["invoke", "call"],
  ["check", "doctor"],
  ["inspect", "doctor"],
]);

/** Bun takes a `--` that comes first away: only the system still knows of it. */
async function beganWithDashes(words: readonly string[]): Promise<boolean> {
  try {
    const all = (await Bun.file("/proc/self/cmdline").text()).split("\0");
    return all.at(-words.length - 2) === "--";
  } catch {
    return false;
  }
}
