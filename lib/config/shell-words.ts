/**
 * Splits a command line into words as a POSIX shell would (quotes, escapes, continued lines), and expands nothing:
 * `$`, backquotes, globs, `~` and `#` stand for themselves, and a line end divides words as a blank does. Pure; no shell runs.
 * (The libraries for this differ from `sh` in `"\$"` and `$"…"`, or drop words; hence these lines.)
 */
import { HostError } from "../base/errors.ts";

/** Source: POSIX.1-2024, XCU 2.2 (quoting) and 2.9.1 (assignments in front of a command). */
export interface CommandLine {
  /** `NAME=value` words in front of the command. */
  env: Record<string, string>;
  words: string[];
}

/**
 * @throws HostError `usage`: an open quote, an escape at the end, or a shell operator standing alone outside quotes
 */
export function parseCommandLine(line: string): CommandLine {
  const env: Record<string, string> = Object.create(null);
  const words: string[] = [];
  for (const word of splitWords(line)) {
    if (!word.quoted && operators.has(word.text))
      throw new HostError("usage", `"${word.text}" in a command line: no shell runs it`, {
        hint: `quote it if the server needs it, or write sh -c '…'`,
      });
    const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(word.text)?.[1];
    const assigns = words.length === 0 && name !== undefined && word.bare > name.length;
    if (assigns) env[name] = word.text.slice(name.length + 1);
    else words.push(word.text);
  }
  return { env, words };
}

// --- internal ---

interface Word {
  text: string;
  quoted: boolean;
  /** How many characters of `text` stood outside quotes before the first quoted one. */
  bare: number;
}

const operators = new Set(["|", "||", "&", "&&", ";", "<", ">", ">>", "<<", "2>", "2>&1", "&>"]);

/** One token: blanks, a continued line, an escape, a quoted run, or a bare run. */
const token =
  /(?<blank>[ \t\r\n]+)|(?<joined>\\\n)|\\(?<escaped>[^])|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[^])*)"|(?<bare>[^ \t\r\n'"\\]+)/y;

function* splitWords(line: string): Generator<Word> {
  let word: Word | undefined;
  token.lastIndex = 0;
  for (let at = 0; at < line.length; at = token.lastIndex) {
    token.lastIndex = at;
    const groups = token.exec(line)?.groups;
    if (!groups)
      throw new HostError(
        "usage",
        `the command line ends in an open quote or escape: ${line.slice(at, at + 40)}`,
      );
    if (groups.joined !== undefined) continue;
    if (groups.blank !== undefined) {
      if (word) yield word;
      word = undefined;
      continue;
    }
    word ??= { text: "", quoted: false, bare: 0 };
    if (groups.bare !== undefined) {
      word.text += groups.bare;
      if (!word.quoted) word.bare = word.text.length;
    } else {
      word.quoted = true;
      word.text += groups.escaped ?? groups.single ?? unescapeDouble(groups.double ?? "");
    }
  }
  if (word) yield word;
}

/** In double quotes a backslash escapes only `$`, a backquote, `"`, itself and the end of the line. */
function unescapeDouble(text: string): string {
  return text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === "\n" ? "" : escaped));
}
