/**
 * JSON with comments and trailing commas as a value. What cannot be parsed is an error with line and column, which
 * `Bun.JSONC` does not give (and it takes text after the value). Objects have no prototype. A number whose text would
 * change (1.10, a big integer) is kept as `JSON.rawJSON`. Pure.
 */
import { isObject } from "../base/json.ts";
import {
  type ParsedText,
  pathText,
  type Position,
  syntaxError,
  type TextSource,
} from "./problems.ts";

const depthMax = 100;

/** @throws HostError `config` with `facts.line` and `facts.column`, both from 1 */
export function parseJsonc(text: string, source: TextSource): ParsedText {
  return new JsoncReader(text, source).document();
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

class JsoncReader {
  readonly #text: string;
  readonly #source: TextSource;
  readonly #path: (string | number)[] = [];
  readonly #warnings: string[] = [];
  #at = 0;

  constructor(text: string, source: TextSource) {
    this.#text = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
    this.#source = source;
  }

  document(): ParsedText {
    const value = this.#value();
    this.#blank();
    if (this.#at < this.#text.length) this.#fail("nothing may follow the value");
    return { value, warnings: this.#warnings };
  }

  #value(): unknown {
    this.#blank();
    if (this.#path.length > depthMax) this.#fail(`nested deeper than ${depthMax} levels`);
    const next = this.#text[this.#at];
    if (next === "{") return this.#object();
    if (next === "[") return this.#array();
    if (next === '"') return this.#string();
    const word = this.#match(/(?:true|false|null)(?![\w$])/y);
    if (word !== undefined) return word === "null" ? null : word === "true";
    const number = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y);
    if (number === undefined) this.#fail("expected a value");
    return String(Number(number)) === number ? Number(number) : JSON.rawJSON(number);
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = Object.create(null);
    this.#at++;
    while (!this.#closes("}", "a key in double quotes")) {
      const keyAt = this.#at;
      if (this.#text[keyAt] !== '"') this.#fail('expected a key in double quotes or "}"');
      const key = this.#string();
      this.#path.push(key);
      if (Object.hasOwn(object, key)) {
        const { line } = this.#position(keyAt);
        this.#warnings.push(
          `${this.#source.label}:${line}: ${pathText(this.#path)} stands there twice; the later one counts`,
        );
      }
      this.#blank();
      if (this.#text[this.#at] !== ":") this.#fail('expected ":"');
      this.#at++;
      object[key] = this.#value();
      this.#path.pop();
      this.#comma("}");
    }
    return object;
  }

  #array(): unknown[] {
    const array: unknown[] = [];
    this.#at++;
    while (!this.#closes("]", "a value")) {
      this.#path.push(array.length);
      array.push(this.#value());
      this.#path.pop();
      this.#comma("]");
    }
    return array;
  }

  #closes(end: string, expected: string): boolean {
    this.#blank();
    if (this.#at >= this.#text.length) this.#fail(`expected ${expected} or "${end}"`);
    if (this.#text[this.#at] !== end) return false;
    this.#at++;
    return true;
  }

  #comma(end: string): void {
    this.#blank();
    if (this.#text[this.#at] === ",") this.#at++;
    else if (this.#text[this.#at] !== end) this.#fail(`expected "," or "${end}"`);
  }

  #string(): string {
    const start = this.#at;
    // Steps from one special character to the next: one pattern for it all gives up on strings of megabytes.
    const special = /["\\\r\n]/g;
    special.lastIndex = start + 1;
    let next = special.exec(this.#text);
    while (next?.[0] === "\\") {
      special.lastIndex = next.index + 2;
      next = special.exec(this.#text);
    }
    if (next?.[0] !== '"') this.#fail("a string that does not end on its line");
    this.#at = next.index + 1;
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      this.#fail("a string with a character or an escape that JSON does not take");
    }
  }

  /** Skips white space and comments. */
  #blank(): void {
    this.#match(/(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y);
    if (this.#text.startsWith("/*", this.#at)) this.#fail("a comment that does not end");
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #position(offset: number): Position {
    const before = this.#text.slice(0, offset).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }

  /** Only the one character is shown: what stands there may be a secret. */
  #fail(why: string): never {
    const next = this.#text.codePointAt(this.#at);
    const found = next === undefined ? "the end" : JSON.stringify(String.fromCodePoint(next));
    throw syntaxError(this.#source, `${why}, found ${found}`, this.#position(this.#at));
  }
}
