/** Hides known secrets in what is shown: by their values, in all the forms that they may stand in. Pure. */
import { isKey, secretLengthMin } from "./secrets.ts";

/** `text` with every known secret replaced by `***`, also in the forms that JSON, URLs and base64 give it. */
export function redact(text: string, secrets: Iterable<string>): string {
  return redactor(secrets)(text);
}

/** `redact` for many texts: the forms are found once. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const forms = formsOf(secrets);
  // The longest first: one secret may be a part of another.
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  return (text) => {
    let result = text;
    for (const form of longestFirst) result = result.replaceAll(form, mask);
    return text.includes(cutMark) ? withoutBeginnings(result, forms) : result;
  };
}

// --- internal ---

const mask = "***";

function formsOf(secrets: Iterable<string>): Set<string> {
  const forms = new Set<string>();
  for (const secret of secrets)
    for (const line of [secret, ...secret.split(/\r?\n/)])
      if (line.length >= secretLengthMin)
        // What a server logs as JSON stands twice in quotes where the log is JSON, too.
        for (const form of [
          line,
          percentForm(line),
          base64Form(line),
          inQuotes(line),
          inQuotes(inQuotes(line)),
          // As a host name has it.
          ...(isKey.test(line) ? [line.toLowerCase()] : []),
        ])
          forms.add(form);
  return forms;
}

/** What our own texts end in where they were clipped. */
const cutMark = "…";
/** A shorter beginning gives nothing away. */
const beginningMin = 4;

/** Hides the beginning of a secret that was clipped in its middle. */
function withoutBeginnings(text: string, forms: ReadonlySet<string>): string {
  const pieces = text.split(cutMark);
  const last = pieces.pop() ?? "";
  return [...pieces.map((piece) => withoutBeginning(piece, forms)), last].join(cutMark);
}

/** What may be shown of a form: of `Bearer X`, or of `SCHEME X` where X is a form itself, the scheme, which is no secret. */
function leastOf(form: string, forms: ReadonlySet<string>): number {
  const scheme = /^[A-Za-z][\w-]* +/.exec(form)?.[0] ?? "";
  const isOpen = /^bearer /i.test(scheme) || forms.has(form.slice(scheme.length));
  return isOpen ? scheme.length + beginningMin : beginningMin;
}

function withoutBeginning(piece: string, forms: ReadonlySet<string>): string {
  for (const form of forms)
    for (let length = form.length - 1; length >= leastOf(form, forms); length--)
      if (piece.endsWith(form.slice(0, length))) return piece.slice(0, -length) + mask;
  return piece;
}

function inQuotes(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Without its padding, which may be left out. */
function base64Form(text: string): string {
  return Buffer.from(text).toString("base64").replace(/=+$/, "");
}

function percentForm(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate has no such form.
    return text;
  }
}
