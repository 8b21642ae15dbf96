/** Editing a config file's text: comments and all else stay as they were. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { removeAt, setAt } from "../../lib/config/edit-text.ts";
import { parseJsonc } from "../../lib/config/jsonc.ts";
import { add, commented, edited, of } from "./edit-kit.ts";

const addC = add({ command: "z" });

describe("comments and all else stay", () => {
  test("add", () => {
    expect(edited(commented, { do: "add", name: "c", entry: { command: "z", args: [] } })).toBe(
      commented.replace(
        "    } // behind b\n",
        `    }, // behind b\n    "c": {\n      "command": "z",\n      "args": []\n    }\n`,
      ),
    );
  });

  test("change", () => {
    const keys = { command: "q", env: { A: null }, args: null };
    expect(edited(commented, { do: "change", name: "b", keys })).toBe(
      commented.replace(
        `"command": "y", // its command\n      "args": ["1.10", "n"] /* its args */\n`,
        `"command": "q", // its command\n      /* its args */\n      "env": {\n        "A": null\n      }\n`,
      ),
    );
  });

  test("remove the first, the last, both", () => {
    const first = edited(commented, { do: "remove", name: "a" });
    expect(first).toBe(commented.replace(`"a": { "command": "x" }, // about a`, "// about a"));
    const last = edited(commented, { do: "remove", name: "b" });
    expect(last).toContain(
      `"a": { "command": "x" } // about a\n    // before b\n    // behind b\n  }, // tail`,
    );
    const none = edited(first, { do: "remove", name: "b" });
    expect(parseJsonc(none, of.origin).value).toEqual({ mcpServers: {}, other: [1, 2] });
    for (const comment of commented.match(/\/\/.*|\/\*.*?\*\//g) ?? [])
      if (!/its/.test(comment)) expect(none).toContain(comment);
  });

  test("tabs, CRLF, a byte order mark, a trailing comma, one line", () => {
    expect(edited(`{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // q\n\t},\n}`, addC)).toBe(
      `{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // q\n\t\t"c": {\n\t\t\t"command": "z"\n\t\t},\n\t},\n}`,
    );
    const crlf = edited(`\uFEFF{\r\n "mcpServers": {\r\n  "a": {"command": "x"}\r\n }\r\n}`, addC);
    expect(crlf).toBe(
      `\uFEFF{\r\n "mcpServers": {\r\n  "a": {"command": "x"},\r\n  "c": {\r\n   "command": "z"\r\n  }\r\n }\r\n}`,
    );
    const short = `{"mcpServers":{"a":{"command":"x"}}}`;
    expect(edited(short, addC)).toBe(`{"mcpServers":{"a":{"command":"x"}, "c": {"command":"z"}}}`);
    expect(edited(short, { do: "remove", name: "a" })).toBe(`{"mcpServers":{}}`);
  });

  test("a file that is not there yet, or empty", () => {
    const text = `{\n  "mcpServers": {\n    "c": {\n      "command": "z"\n    }\n  }\n}\n`;
    expect(edited(undefined, addC)).toBe(text);
    expect(edited(" \n", addC)).toBe(text);
  });

  test("any value set anywhere is there, is gone when it is removed, and no comment is lost", () => {
    const key = fc.constantFrom("a", "b", "c", "d e", "__proto__");
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant([1, { x: 2 }]));
    const inner = fc.dictionary(key, leaf, { noNullPrototype: false });
    const whole = fc.dictionary(key, fc.oneof(leaf, inner), { noNullPrototype: false });
    const style = fc.record({
      eol: fc.constantFrom("\n", "\r\n", ""),
      comma: fc.boolean(),
      comments: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    });
    fc.assert(
      fc.property(whole, style, key, key, leaf, (document, how, outer, last, value) => {
        const { text, comments } = textOf(document, how);
        const before = plain(text);
        const isIn = Object.hasOwn(before, outer) && isObject(before[outer]);
        const at = isIn ? [outer, last] : [outer];
        const after = setAt(text, at, value);
        const expected = structuredClone(before);
        put(expected, at, value);
        expect(plain(after)).toEqual(expected);
        const removed = removeAt(after, at);
        put(expected, at, undefined);
        expect(plain(removed)).toEqual(expected);
        for (const comment of comments) {
          expect(after).toContain(comment);
          expect(removed).toContain(comment);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function plain(text: string): Record<string, any> {
  return JSON.parse(JSON.stringify(parseJsonc(text, of.origin).value)) as Record<string, any>;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function put(into: Record<string, any>, path: string[], value: unknown): void {
  const key = path.at(-1)!;
  const at = path.length === 1 ? into : into[path[0]!];
  if (value === undefined) delete at[key];
  else
    Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A document as text, with comments wherever one may stand but inside an entry. */
function textOf(
  document: Record<string, unknown>,
  { eol, comma, comments }: { eol: string; comma: boolean; comments: boolean[] },
): { text: string; comments: string[] } {
  const made: string[] = [];
  let asked = 0;
  const comment = (): string => {
    if (comments[asked++ % comments.length] !== true) return "";
    const line = eol !== "" && asked % 2 === 0;
    const one = line ? `// c${asked}.` : `/* c${asked}. */`;
    made.push(one);
    return line ? ` ${one}${eol}` : ` ${one} `;
  };
  const object = (value: Record<string, unknown>, indent: string): string => {
    const entries = Object.entries(value).map(
      ([key, item]) =>
        `${comment()}${indent}  ${JSON.stringify(key)}: ${
          isObject(item)
            ? object(item as Record<string, unknown>, eol === "" ? "" : `${indent}  `)
            : JSON.stringify(item)
        }${comment()}`,
    );
    const end = comma && entries.length > 0 ? "," : "";
    return `{${comment()}${eol}${entries.join(`,${comment()}${eol}`)}${end}${comment()}${eol}${indent}}`;
  };
  const text = object(document, "") + comment();
  // Those between entries are asked for where there is one entry, too.
  return { text, comments: made.filter((one) => text.includes(one)) };
}
