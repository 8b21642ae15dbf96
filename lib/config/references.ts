/** Finds what has to be filled in in a text of a config (cli.md, Expansion). Pure: it knows the forms, not the values. */

/** `own`: a folder that we know by ourselves, such as `workspaceFolder`. */
export interface Reference {
  kind: "env" | "secret" | "input" | "file" | "own";
  name: string;
  /** Of `${NAME:-fallback}`; it may hold references of its own. */
  fallback?: string;
}

/** VS Code's and Cursor's names, and `configDir`. They win over an environment variable of that name. */
const ownNames = [
  "workspaceFolder",
  "workspaceFolderBasename",
  "userHome",
  "configDir",
  "cwd",
  "pathSeparator",
] as const;

/** The parts of a text in order: plain text, and what is to be filled in. A leading `~` is `userHome`. */
export function readReferences(text: string): (string | Reference)[] {
  // Most texts have none, and to see that takes no expression.
  const mayHold = text.includes("$") || text.includes("{env:") || text.includes("{file:");
  if (!mayHold && !text.startsWith("~")) return text === "" ? [] : [text];
  const parts: (string | Reference)[] = [];
  let at = 0;
  if (/^~(?=[\\/]|$)/.test(text)) {
    parts.push({ kind: "own", name: "userHome" });
    at = 1;
  }
  const ends = endsOf(text);
  for (const match of text.matchAll(heads)) {
    if (match.index < at) continue;
    const found = formAt(match, text, ends);
    if (found === undefined) continue;
    parts.push(text.slice(at, match.index), found.part);
    at = found.end;
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== "");
}

/** All references of a text, with those in their fallbacks. */
export function allReferences(text: string): Reference[] {
  const references: Reference[] = [];
  for (const part of readReferences(text))
    if (typeof part !== "string") references.push(part, ...allReferences(part.fallback ?? ""));
  return references;
}

/**
 * What stays in a text although its writer most likely means that it is filled in, each with the reason: what editors know,
 * and a variable alone in the form of another host or of a shell.
 * @param isSet whether there is such an environment variable
 */
export function strangeForms(text: string, isSet: (name: string) => boolean): string[] {
  if (!/[$%{]/.test(text)) return [];
  const ofEditors = Array.from(text.matchAll(editorForms), ([form]) => {
    return `${JSON.stringify(form)} stays as it is: only an editor knows it`;
  });
  const { form, ...names } = foreignForm.exec(text)?.groups ?? {};
  const name = Object.values(names).find((one) => one !== undefined);
  if (name === undefined || !isSet(name)) return ofEditors;
  return [`${JSON.stringify(form)} stays as it is: the variable is written \${${name}}`];
}

/** What VS Code fills in by what is open in it. */
export const editorNames: ReadonlySet<string> = new Set([
  "file",
  "fileWorkspaceFolder",
  "relativeFile",
  "relativeFileDirname",
  "fileBasename",
  "fileBasenameNoExtension",
  "fileExtname",
  "fileDirname",
  "fileDirnameBasename",
  "lineNumber",
  "columnNumber",
  "selectedText",
  "execPath",
  "defaultBuildTask",
]);

// --- internal ---

const editorForms =
  /(?<!\$)\$\{(?:command|config|workspaceFolder|workspaceFolderBasename):[^}]{0,1000}\}/g;

/** A whole text, or all behind `Bearer `: `$NAME`, `%NAME%`, `{{NAME}}`, `${env.NAME}`, and `${NAME?…}` of a shell. */
const foreignForm =
  /^(?:Bearer )?(?<form>\$(?<dollar>[A-Z_][A-Z0-9_]+)|%(?<percent>[A-Z_][A-Z0-9_]+)%|\$?\{\{ *(?<braces>[A-Z_][A-Z0-9_]+) *\}\}|\$\{(?: +|env\.)(?<dotted>[A-Z_][A-Z0-9_]+) *\}|\$\{(?<shell>[A-Z_][A-Z0-9_]+)(?:[-+=?]|:[+=?])[^}]*\})$/;

/** All forms, as they begin; `$${` stands first, so that it hides what follows. Any other `$` is not a form. */
const heads = new RegExp(
  [
    String.raw`(?<literal>\$\$\{)`,
    String.raw`\$\{\{ *secrets\.(?<secret>[A-Za-z_]\w*) *\}\}`,
    String.raw`\$\{(?<kind>env|secret|input|file):`,
    String.raw`\$\{(?<name>[A-Za-z_]\w*)(?<divider>:-|(?=\}))`,
    String.raw`(?<separator>\$\{\/\})`,
    String.raw`\$env:(?<dollar>[A-Za-z_]\w*)`,
    String.raw`\{(?<bare>env|file):`,
  ].join("|"),
  "g",
);

/** The form that begins there, and where it ends; undefined where it does not, or holds nothing. */
function formAt(
  { index, 0: head, groups = {} }: RegExpExecArray,
  text: string,
  ends: ReadonlyMap<number, number>,
): { part: string | Reference; end: number } | undefined {
  const { literal, secret, kind, name, separator, dollar, bare } = groups;
  const begin = index + head.length;
  if (literal !== undefined) return { part: "${", end: begin };
  // As Continue writes it.
  if (secret !== undefined) return { part: { kind: "secret", name: secret }, end: begin };
  if (separator !== undefined) return { part: { kind: "own", name: "pathSeparator" }, end: begin };
  if (dollar !== undefined) return { part: { kind: "env", name: dollar }, end: begin };
  const close = ends.get(index);
  if (close === undefined) return undefined;
  const held = text.slice(begin, close);
  const end = close + 1;
  if (name !== undefined)
    return { part: named(name, groups.divider === "" ? undefined : held), end };
  if (held === "") return undefined;
  const what = kind ?? bare;
  if (what !== "env") return { part: { kind: what as Reference["kind"], name: held }, end };
  // Some hosts write all kinds as addresses: `${env://NAME}`.
  const plain = kind !== undefined && held.startsWith("//") ? held.slice(2) : held;
  if (plain === "") return undefined;
  const divider = plain.indexOf(":-");
  const [variable, fallback] =
    divider < 0 ? [plain, undefined] : [plain.slice(0, divider), plain.slice(divider + 2)];
  return {
    part: { kind: "env", name: variable, ...(fallback !== undefined && { fallback }) },
    end,
  };
}

function named(name: string, fallback: string | undefined): Reference {
  if (fallback !== undefined) return { kind: "env", name, fallback };
  return ownNames.some((own) => own === name) ? { kind: "own", name } : { kind: "env", name };
}

/** How many forms may stand in one another; one that holds more stays as it is. */
const levelsMax = 8;

/** Where each form that has braces has its last one. In one pass: a text of a stranger must not make us look through it again and again. */
function endsOf(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: { begin: number; levels: number }[] = [];
  for (const { index, 0: found } of text.matchAll(/\$\{|\{(?:env|file):|\}/g)) {
    if (found !== "}") {
      open.push({ begin: index, levels: 1 });
      continue;
    }
    const closed = open.pop();
    if (closed === undefined) continue;
    const { begin, levels } = closed;
    if (levels <= levelsMax) ends.set(begin, index);
    const outer = open.at(-1);
    if (outer !== undefined) outer.levels = Math.max(outer.levels, levels + 1);
  }
  return ends;
}
