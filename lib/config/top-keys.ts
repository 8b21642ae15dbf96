/** The keys at the top of a config file: which are ours, and what a stray one there may mean. Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { shapes } from "./formats.ts";
import { unknownKey } from "./keys.ts";
import type { Origin } from "./origin.ts";
import { baseName } from "./paths.ts";

/**
 * Keys that other programs keep in the same file are theirs: only our own files are held to our keys. In the others a
 * near miss is one where there is no server, or where a weighty key is missed.
 */
export function topWarnings(
  document: JsonObject,
  { origin, hasServers }: { origin: Origin; hasServers: boolean },
): string[] {
  const warnings: string[] = [];
  const known = new Set([...ourKeys, ...shapes.map((shape) => shape.key)]);
  const guessable = [...known].filter((key) => !theirKeys.has(key));
  const ours = origin.kind === "user" || /^mcphost\.jsonc?$/.test(baseName(origin.file ?? ""));
  for (const key of Object.keys(document)) {
    if (known.has(key) || key.startsWith("$")) continue;
    const { text, near } = unknownKey(key, guessable);
    if (ours || (!hasServers && near)) warnings.push(`${origin.label}: ${text}`);
    else {
      const missed = unknownKey(
        key,
        isForeign(document) ? weightyKeys : [...weightyKeys, ...plainKeys],
      );
      if (missed.near) warnings.push(`${origin.label}: ${missed.text}`);
    }
  }
  if (ours && document.network !== undefined)
    warnings.push(`${origin.label}: this version does not know network yet; it has no effect`);
  const silent =
    ["plugins", "store", "audit"].every((key) => document[key] === undefined) &&
    !shapes.some((shape) => Object.hasOwn(document, shape.key));
  if (silent && origin.kind === "named" && warnings.length === 0)
    warnings.push(`${origin.label}: no servers in it (${whereServersStand(document)})`);
  return warnings;
}

// --- internal ---

/** What is shown on pages about a server is often the inside of a config alone. */
function whereServersStand(document: JsonObject): string {
  if (isServer(document)) return 'it looks like one server: {"mcpServers": {"NAME": {…}}} holds it';
  const name = Object.keys(document).find((key) => isServer(document[key]));
  if (name === undefined) return "expected an object mcpServers, or another known shape";
  return `${JSON.stringify(name)} looks like one: {"mcpServers": {${JSON.stringify(name)}: {…}}} holds it`;
}

function isServer(value: Json | undefined): boolean {
  return isObject(value) && ["command", "url"].some((key) => typeof value[key] === "string");
}

/** The file of Codex or opencode, which have plugins and profiles of their own. */
function isForeign(document: JsonObject): boolean {
  return Object.hasOwn(document, "mcp_servers") || Object.hasOwn(document, "mcp");
}

/** Long words of other programs, which write them themselves: what is a little like them is another of their keys. */
const theirKeys = new Set(["context_servers", "extensions", "projects"]);

const ourKeys = [
  "mcpServers",
  "policy",
  "limits",
  "inputs",
  "plugins",
  "serve",
  "profiles",
  "network",
  "store",
  "audit",
  "model",
];

/** Weighty as well, but other programs have words like them. */
const plainKeys = ["plugins", "profiles"];

/** Keys of ours that change what a file means, and that no other program has a word like. */
const weightyKeys = ["mcpServers", "policy", "limits", "inputs"];
