/**
 * JSON with comments and trailing commas as a value, read by `jsonc-parser`: unlike `Bun.JSONC` it says where a text is
 * wrong, and takes nothing after the value. Objects have no prototype. A number whose text would change (1.10, a big
 * integer) is kept as `JSON.rawJSON`. Pure; loaded only when a config is read.
 */
import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";

import { isObject } from "../base/json.ts";
import { formatHint, type ParsedText, pathText, syntaxError, type TextSource } from "./problems.ts";

/** @throws HostError `config` with `facts.line` and `facts.column`, both from 1, of what is wrong first */
export function parseJsonc(text: string, source: TextSource): ParsedText {
  const whole = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  const builder = new Builder(whole, source);
  visit(whole, builder.visitor, { allowTrailingComma: true });
  return { value: builder.root, warnings: builder.warnings };
}

/** A copy with numbers that were kept digit for digit as plain ones. */
export function plainNumbers(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return Number((value as { rawJSON: string }).rawJSON);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) copy[key] = plainNumbers(inner);
  return copy;
}

// --- internal ---

const depthMax = 100;

/** By the parser's names of its codes. */
const faults = new Map([
  ["PropertyNameExpected", 'expected a key in double quotes or "}"'],
  ["ValueExpected", "expected a value"],
  ["ColonExpected", 'expected ":"'],
  ["CloseBraceExpected", 'expected "}"'],
  ["CloseBracketExpected", 'expected "]"'],
  ["EndOfFileExpected", "nothing may follow the value"],
  ["UnexpectedEndOfComment", "a comment that does not end"],
  ["UnexpectedEndOfString", "a string that does not end on its line"],
  ["UnexpectedEndOfNumber", "a number that is cut off"],
]);
const oddString = "a string with a character or an escape that JSON does not take";

interface Open {
  value: unknown[] | Record<string, unknown>;
  /** In an object the key whose value is not there yet. */
  key: string | undefined;
}

/** Puts together what the parser meets. */
class Builder {
  root: unknown;
  readonly warnings: string[] = [];
  readonly #text: string;
  readonly #source: TextSource;
  readonly #open: Open[] = [];

  constructor(text: string, source: TextSource) {
    this.#text = text;
    this.#source = source;
  }

  readonly visitor: JSONVisitor = {
    onObjectBegin: (offset, _length, line, column) =>
      this.#begin(Object.create(null) as Record<string, unknown>, { offset, line, column }),
    onArrayBegin: (offset, _length, line, column) => this.#begin([], { offset, line, column }),
    onObjectEnd: () => void this.#open.pop(),
    onArrayEnd: () => void this.#open.pop(),
    onObjectProperty: (key, _offset, _length, line, _column, pathOf) => {
      const object = this.#open.at(-1);
      if (object === undefined) return;
      object.key = key;
      if (!Object.hasOwn(object.value, key)) return;
      const where = `${this.#source.label}:${line + 1}: ${pathText([...pathOf(), key])}`;
      this.warnings.push(`${where} stands there twice; the later one counts`);
    },
    onLiteralValue: (value: unknown, offset, length) =>
      this.#put(
        typeof value === "number" ? exact(this.#text.slice(offset, offset + length)) : value,
      ),
    onError: (code, offset, length, line, column) => {
      const why = this.#faultOf(printParseErrorCode(code));
      const odd = why === oddString ? oddIn(this.#text.slice(offset, offset + length)) : undefined;
      const at = odd?.at ?? 0;
      this.#fail(odd?.why ?? why, { offset: offset + at, line, column: column + at });
    },
  };

  /** What is no symbol at all is called by what could have stood there. */
  #faultOf(name: string): string {
    const { value = [], key } = this.#open.at(-1) ?? {};
    const isArray = Array.isArray(value);
    if (name === "CommaExpected") return `expected "," or "${isArray ? "]" : "}"}"`;
    const likely = isArray || key !== undefined ? "ValueExpected" : "PropertyNameExpected";
    return faults.get(name === "InvalidSymbol" ? likely : name) ?? oddString;
  }

  #begin(value: Open["value"], at: Place): void {
    if (this.#open.length > depthMax) this.#fail(`nested deeper than ${depthMax} levels`, at);
    this.#put(value);
    this.#open.push({ value, key: undefined });
  }

  #put(value: unknown): void {
    const into = this.#open.at(-1);
    if (into === undefined) this.root = value;
    else if (Array.isArray(into.value)) into.value.push(value);
    else if (into.key !== undefined) {
      into.value[into.key] = value;
      into.key = undefined;
    }
  }

  /** Only the one character is shown: what stands there may be a secret. */
  #fail(why: string, { offset, line, column }: Place): never {
    const next = this.#text.codePointAt(offset);
    const found = next === undefined ? "the end" : JSON.stringify(String.fromCodePoint(next));
    const position = { line: line + 1, column: column + 1 };
    // No config is an array: what begins so, or with no value at all, is most likely no JSON.
    const hint = !isObject(this.root) ? formatHint(this.#source) : undefined;
    throw syntaxError(this.#source, `${why}, found ${found}`, position, { hint });
  }
}

/** Line and column from 0. */
interface Place {
  offset: number;
  line: number;
  column: number;
}

/** Where a string is no JSON, and why. Strings end on the line that they begin on. */
function oddIn(string: string): { at: number; why: string } | undefined {
  for (const { index: at, 1: escape, 2: control } of string.matchAll(inString)) {
    if (escape !== undefined) return { at, why: "a backslash of a text is written twice in JSON" };
    if (control !== undefined) return { at, why: "a control character is written as an escape" };
  }
  return undefined;
}

/** An escape, what is none although it begins as one, and what must be one. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const inString = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})|(\\)|([\0-\x1f])/g;

function exact(number: string): unknown {
  return String(Number(number)) === number ? Number(number) : JSON.rawJSON(number);
}
