/**
 * YAML as a value, by `Bun.YAML`; what cannot be parsed is an error with its line, which `Bun.YAML` does not give.
 * Objects have no prototype. Pure.
 */
import { isObject } from "../base/json.ts";
import { faultyLine, type ParsedText, syntaxError, type TextSource } from "./problems.ts";

/** @throws HostError `config`, with the line where it can be told */
export function parseYaml(text: string, source: TextSource): ParsedText {
  let parsed: unknown;
  try {
    parsed = Bun.YAML.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^YAML Parse error: /, "") : "";
    throw syntaxError(source, why, faultyLine(text, Bun.YAML.parse), { cause });
  }
  return { value: copied(parsed, 0, source), warnings: [] };
}

// --- internal ---

const depthMax = 100;

/** Aliases are written out; how many there may be is bounded by the parser. One that holds itself would have no end. */
function copied(value: unknown, depth: number, source: TextSource): unknown {
  if (depth > depthMax)
    throw syntaxError(source, `nested deeper than ${depthMax} levels`, undefined);
  if (Array.isArray(value)) return value.map((inner) => copied(inner, depth + 1, source));
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) copy[key] = copied(inner, depth + 1, source);
  return copy;
}
