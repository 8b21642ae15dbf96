/**
 * One server added to, changed in or taken out of the text of a config file: text in, text out, all else as it was. The new
 * entry is held to what every file is held to before there is a new text. Pure; loaded only when a config is edited.
 */
import { HostError } from "../base/errors.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { formatOf, readDocument } from "./document.ts";
import { removeAt, setAt } from "./edit-text.ts";
import { type Entry, shapes } from "./formats.ts";
import { parseJsonc } from "./jsonc.ts";
import type { Origin } from "./origin.ts";
import { readServer } from "./server.ts";

/** What to do with a server of a file. */
export type ServerEdit =
  | { do: "add"; name: string; entry: JsonObject }
  /** Each key gets its value; `null` takes a key out. */
  | { do: "change"; name: string; keys: JsonObject }
  | { do: "remove"; name: string };

/** Why an edit is refused: `facts.problem` of its error. */
export type EditProblem = "exists" | "missing" | "entry" | "file" | "stale";

/** Whose file it is, and the folder that it is read for (as of `readDocument`). */
export interface EditOf {
  origin: Origin;
  folder: string;
}

export interface Edited {
  text: string;
  /** What is odd in the new entry, in words for a person. */
  warnings: string[];
}

/**
 * @param text undefined: there is no file yet
 * @throws HostError `usage` with `facts.problem`: `exists` (to be added), `missing`, `entry` (what is wrong in it: path, what
 *   was expected, the nearest key), `file` (of a kind that cannot be edited); `config` where the text cannot be read
 */
export function editServers(text: string | undefined, edit: ServerEdit, of: EditOf): Edited {
  const { origin, folder } = of;
  const format = formatOf(origin.file);
  if (format !== "JSON")
    throw refused("file", edit.name, `${origin.label} is ${format}, and only JSON is edited here`);
  const before = text === undefined || text.trim() === "" ? "{}\n" : text;
  // What is wrong with the file as it is, is not ours to write over.
  readDocument(before, origin, folder);
  const found = entriesOf(before, of).filter(({ name }) => name === edit.name);
  const counting = found.at(-1);
  if (edit.do === "add") {
    if (counting !== undefined)
      throw refused("exists", edit.name, `${origin.label} has a server "${edit.name}" already`);
    return checked(setAt(before, [sectionOf(before, of), edit.name], edit.entry), edit.name, of);
  }
  if (counting === undefined) throw missing(edit.name, before, of);
  if (edit.do === "remove") {
    // From behind: places in a list move up.
    const after = found.reduceRight((now, { path }) => removeAt(now, path), before);
    return { text: after, warnings: [] };
  }
  let after = before;
  for (const [key, value] of Object.entries(edit.keys))
    after =
      value === null
        ? removeAt(after, [...counting.path, key])
        : setAt(after, [...counting.path, key], value);
  return checked(after, edit.name, of);
}

// --- internal ---

/** All entries, in the order in which they weigh. */
function entriesOf(text: string, { origin, folder }: EditOf): Entry[] {
  const { value } = parseJsonc(text, origin);
  if (!isObject(value)) return [];
  const document: JsonObject = value;
  return shapes.flatMap((shape) =>
    Object.hasOwn(document, shape.key) ? (shape.read(document[shape.key], folder) ?? []) : [],
  );
}

/** The object that servers are written into: the one that is there, else that of the home format. */
function sectionOf(text: string, { origin }: EditOf): string {
  const { value } = parseJsonc(text, origin);
  const sections = [
    "mcpServers",
    "servers",
    "mcp_servers",
    "mcp",
    "amp.mcpServers",
    "context_servers",
  ];
  if (!isObject(value)) return "mcpServers";
  const isList = Array.isArray(value.mcpServers);
  return sections.find((key) => isObject(value[key])) ?? (isList ? "servers" : "mcpServers");
}

/** The text, if the entry in it is one that may count. @throws HostError `usage` */
function checked(text: string, name: string, of: EditOf): Edited {
  const entry = entriesOf(text, of).findLast((one) => one.name === name);
  // In some shapes the name stands in the entry.
  if (entry === undefined)
    throw refused(
      "entry",
      name,
      `server "${name}" would have another name: that is not changed here`,
    );
  const { bad, warnings } = readServer(entry, of.origin);
  if (bad !== undefined) throw refused("entry", name, bad.reason, bad.hint);
  return { text, warnings };
}

function missing(name: string, text: string, of: EditOf): HostError {
  const near = nearest(
    name,
    entriesOf(text, of).map((entry) => entry.name),
  );
  const error = refused(
    "missing",
    name,
    `${of.origin.label} has no server "${name}"`,
    didYouMean(near),
  );
  error.facts["nearest"] = near;
  return error;
}

function refused(problem: EditProblem, server: string, message: string, hint?: string): HostError {
  return new HostError("usage", message, {
    facts: { server, problem },
    ...(hint !== undefined && { hint }),
  });
}
