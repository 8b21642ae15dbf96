/**
 * Dotenv files: `NAME=value` lines, `export` in front, comments, single, double and back quotes, values over several
 * lines in quotes. Nothing is expanded. Pure. (Bun reads `.env` only into its own environment, and expands.)
 */
import { HostError } from "../base/errors.ts";

/**
 * The variables of a file; of two of one name the later counts. In double quotes `\n \r \t \" \\` are escapes; an
 * unquoted value ends at ` #` and loses the blanks around it.
 * @throws HostError `config` with `facts.line`: a line that is none of these
 */
export function parseEnvFile(text: string, label: string): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  const body = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  for (let at = 0; at < body.length; at = line.lastIndex) {
    line.lastIndex = at;
    const groups = line.exec(body)?.groups;
    if (!groups) {
      const number = body.slice(0, at).split("\n").length;
      throw new HostError("config", `${label}:${number}: expected NAME=value`, {
        facts: { file: label, line: number },
      });
    }
    const { name, double, single, back, bare } = groups;
    if (name === undefined) continue;
    env[name] = double === undefined ? (single ?? back ?? bare?.trim() ?? "") : unescape(double);
  }
  return env;
}

// --- internal ---

/** One line (a quoted value may run over several): blank, comment, or an assignment. */
const line =
  /[ \t]*(?:(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"(?<double>(?:[^"\\]|\\[^])*)"|'(?<single>[^']*)'|`(?<back>[^`]*)`|(?<bare>(?!["'`])(?:[^\n#]|(?<=\S)#)*))[ \t]*)?(?:#[^\n]*)?(?:\n|$)/y;

const escapes = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ['"', '"'],
  ["\\", "\\"],
]);

function unescape(text: string): string {
  return text.replace(/\\([^])/g, (whole, next: string) => escapes.get(next) ?? whole);
}
