/** The words of a line that is being written, as the shell would hand them over when it is run. Pure; it runs nothing. */
import type { Env } from "../config/paths.ts";

/**
 * The words of a line as a POSIX shell would see them, quotes and backslashes taken off; an open quote is forgiven.
 * With `env`, a leading `~` and `$NAME` are filled in too, and nothing else.
 */
export function splitLine(line: string, env?: Env): string[] {
  const words = [""];
  let quote = "";
  let inWord = false;
  const add = (text: string) => {
    words[words.length - 1] += text;
    inWord = true;
  };
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    const filled = env && quote !== "'" && (quote === "" || char === "$");
    const found = filled ? referenceAt(line, at, inWord) : undefined;
    if (char === "\\" && quote !== "'") add(line.charAt(++at));
    else if (char === quote) quote = "";
    else if (env && found) {
      add(valueOf(found, env));
      at += found[0].length - 1;
    } else if (quote !== "") add(char);
    else if (char === "'" || char === '"') {
      quote = char;
      add("");
    } else if (!/\s/.test(char)) add(char);
    else if (inWord) {
      words.push("");
      inWord = false;
    }
  }
  return words;
}

/** The line up to the cursor as words; the last one, which is being written, stays as it is typed. */
export function wordsOf(line: string, env: Env): string[] {
  return [...splitLine(line, env).slice(0, -1), splitLine(line).at(-1) ?? ""];
}

/**
 * What a shell keeps of the last word where it replaces no more than `part`, the end of the line: its text without quotes,
 * and the quote that is open there. Without `part` nothing is kept.
 */
export function keptOf(line: string, part?: string): { text: string; quote: string } {
  if (part === undefined || !line.endsWith(part)) return { text: "", quote: "" };
  const kept = line.slice(0, line.length - part.length);
  return { text: splitLine(kept).at(-1) ?? "", quote: openQuote(kept) };
}

/** A word without its quotes, with a leading `~` and `$NAME` filled in. */
export function filledIn(word: string, env: Env): string {
  let text = "";
  for (let at = 0; at < word.length; at++) {
    const found = referenceAt(word, at, at > 0);
    text += found ? valueOf(found, env) : word.charAt(at);
    if (found) at += found[0].length - 1;
  }
  return text;
}

// --- internal ---

function openQuote(text: string): string {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\" && quote !== "'") at++;
    else if (quote === char) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
  }
  return quote;
}

function referenceAt(text: string, at: number, inWord: boolean): RegExpExecArray | undefined {
  const form = inWord ? variable : tildeOrVariable;
  const sticky = new RegExp(form, "y");
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}

const variable = /\$(?:\{(?<braced>[A-Za-z_]\w*)\}|(?<bare>[A-Za-z_]\w*))/;
const tildeOrVariable = new RegExp(`~(?=/|\\s|$)|${variable.source}`);

/** What is not set is empty, as in a shell. */
function valueOf({ groups = {} }: RegExpExecArray, env: Env): string {
  const name = groups["braced"] ?? groups["bare"] ?? "HOME";
  return (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
}
