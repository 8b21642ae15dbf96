/**
 * What is wrong with the fields of one entry: their types by the schemas, and what types cannot say. Values are never
 * shown, since any may be a secret. Loaded only when a config is read.
 */
import * as v from "valibot";

import { isObject } from "../base/json.ts";
import type { Field } from "./keys.ts";
import { foundText, kindOf } from "./problems.ts";
import { Server } from "./schema-server.ts";

/** Fields by our own keys, each with the key that was written. */
export type Known = ReadonlyMap<string, Field>;

/** A place inside the entry, in the words that were written, and what is wrong there. */
export interface Problem {
  path: (string | number)[];
  text: string;
}

/** All that is wrong with the fields, whatever the kind of the server. */
export function checkFields(known: Known): Problem[] {
  return [...typeProblems(known), ...valueProblems(known)];
}

// --- internal ---

/** What the schemas find: paths are in the words that were written. */
function typeProblems(known: Known): Problem[] {
  const input: Record<string, unknown> = {};
  for (const [key, field] of known) input[key] = field.value;
  const result = v.safeParse(Server, input);
  return (result.issues ?? []).map((issue) => {
    const [key = "", ...rest] = (issue.path ?? []).map((item) => item.key as string | number);
    const value: unknown = issue.path?.at(-1)?.value;
    return {
      path: [known.get(String(key))?.key ?? key, ...rest],
      text: `expected ${issue.message}, found ${foundText(key, value, choices)}`,
    };
  });
}

/** Keys whose values are words of ours. */
const choices = ["type", "protocol", "lifecycle", "share", "approval"];

/** What types cannot say. valibot's records take arrays and pass over `__proto__`, so both are looked at here. */
function valueProblems(known: Known): Problem[] {
  const problems: Problem[] = [];
  for (const { key, types, words, name: rule, nameWords } of mapRules) {
    const field = known.get(key);
    if (Array.isArray(field?.value))
      problems.push({ path: [field.key], text: "expected an object, found an array" });
    if (!field || !isObject(field.value)) continue;
    for (const [name, value] of Object.entries(field.value)) {
      const found = (text: string) => problems.push({ path: [field.key, name], text });
      if (!rule.test(name)) found(nameWords);
      if (name === "__proto__" && !types.includes(typeof value))
        found(`expected ${words}, found ${kindOf(value)}`);
      if (typeof value === "string" && value.includes("\0")) found(noNul);
    }
  }
  for (const key of ["command", "args", "cwd", "envFile"]) {
    const field = known.get(key);
    const texts: unknown[] = Array.isArray(field?.value) ? field.value : [field?.value];
    if (field && texts.some((text) => typeof text === "string" && text.includes("\0")))
      problems.push({ path: [field.key], text: noNul });
  }
  return problems;
}

const noNul = "a NUL character cannot be handed on";

const mapRules = [
  {
    key: "env",
    types: ["string", "number", "boolean"],
    words: "a string, number, true, false or null",
    name: /^[^=\0]+$/,
    nameWords: "the name of a variable is not empty and holds no = and no NUL",
  },
  {
    key: "headers",
    types: ["string"],
    words: "a string",
    name: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
    nameWords: "this is no name of a header",
  },
  {
    key: "rename",
    types: ["string"],
    words: "a string",
    name: /^[^]+$/,
    nameWords: "the name of a tool is not empty",
  },
];
