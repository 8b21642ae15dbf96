/** A section of a config file, held to its schema: what is wrong says the place, what was expected and what was found. Pure. */
import * as v from "valibot";

import { HostError } from "../base/errors.ts";
import { plainNumbers } from "./jsonc.ts";
import { unknownKey } from "./keys.ts";
import type { Origin } from "./origin.ts";
import { foundText, pathText } from "./problems.ts";
import { Policy, profileEntries, serveEntries, tokenEntries } from "./schema.ts";

/** The value of a section, checked. @throws HostError `config` */
export function check<T extends v.GenericSchema>(
  schema: T,
  written: unknown,
  origin: Origin,
  ...section: string[]
): v.InferOutput<T> {
  const value = plainNumbers(written);
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const found: unknown = issue.path ? issue.path.at(-1)?.value : value;
  if (issue.type === "strict_object" && issue.expected === "never")
    throw problem(
      origin,
      [...section, ...path],
      "a known key",
      found,
      unknownKey(String(path.at(-1)), knownKeys(section, path)).text,
    );
  if (issue.type === "strict_object" && found === undefined && path.length > 0)
    throw problem(origin, [...section, ...path.slice(0, -1)], `the key ${issue.expected}`, found);
  throw problem(origin, [...section, ...path], issue.message, found);
}

/** What is wrong at a place of a file. */
export function problem(
  origin: Origin,
  path: (string | number)[],
  expected: string,
  found: unknown,
  hint?: string,
) {
  const place = path.length === 0 ? "" : ` ${pathText(path)}:`;
  return new HostError(
    "config",
    `${origin.label}:${place} expected ${expected}, found ${foundText(path.at(-1), found, choices)}`,
    {
      facts: { ...(origin.file === undefined ? {} : { file: origin.file }), path: pathText(path) },
      ...(hint === undefined ? {} : { hint }),
    },
  );
}

// --- internal ---

/** Keys whose values are words of ours. */
const choices = ["do", "actor"];

const ruleKeys = Object.keys(Policy.item.entries);

/** At a strict place of a section. */
function knownKeys([section]: readonly string[], path: readonly (string | number)[]): string[] {
  if (section === "profiles") return Object.keys(profileEntries);
  if (section !== "serve") return ruleKeys;
  return Object.keys(path[0] === "tokens" ? tokenEntries : serveEntries);
}
