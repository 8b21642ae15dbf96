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
  for (const match of text.matchAll(forms)) {
    parts.push(text.slice(at, match.index), referenceOf(match.groups ?? {}));
    at = match.index + match[0].length;
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
  /(?<!\$)\$\{(?:command|config|workspaceFolder|workspaceFolderBasename):[^}]*\}/g;

/** A whole text, or all behind `Bearer `: `$NAME`, `%NAME%`, `{{NAME}}`, `${env.NAME}`, and `${NAME?…}` of a shell. */
const foreignForm =
  /^(?:Bearer )?(?<form>\$(?<dollar>[A-Z_][A-Z0-9_]+)|%(?<percent>[A-Z_][A-Z0-9_]+)%|\$?\{\{ *(?<braces>[A-Z_][A-Z0-9_]+) *\}\}|\$\{(?: +|env\.)(?<dotted>[A-Z_][A-Z0-9_]+) *\}|\$\{(?<shell>[A-Z_][A-Z0-9_]+)(?:[-+=?]|:[+=?])[^}]*\})$/;

/** What stands between braces, with references in it whole, and those in them. */
const held = String.raw`(?:[^}$]|\$(?!\{)|\$\{(?:[^}$]|\$(?!\{)|\$\{[^}]*\})*\})`;

/** All forms; `$${` stands first, so that it hides what follows. Any other `$` is not a form. */
const forms = new RegExp(
  [
    String.raw`(?<literal>\$\$\{)`,
    String.raw`\$\{\{ *secrets\.(?<secret>[A-Za-z_]\w*) *\}\}`,
    String.raw`\$\{(?<kind>secret|input|file):(?<what>[^}]+)\}`,
    String.raw`\$\{env:(?<written>${held}+)\}`,
    String.raw`\$\{(?<name>[A-Za-z_]\w*)(?::-(?<fallback>${held}*))?\}`,
    String.raw`(?<separator>\$\{\/\})`,
    String.raw`\$env:(?<dollar>[A-Za-z_]\w*)`,
    String.raw`\{(?<bare>env|file):(?<braces>[^}]+)\}`,
  ].join("|"),
  "g",
);

function referenceOf(groups: Record<string, string | undefined>): string | Reference {
  const { literal, secret, kind, what = "", name, fallback, separator, bare, braces } = groups;
  if (literal !== undefined) return "${";
  // As Continue writes it.
  if (secret !== undefined) return { kind: "secret", name: secret };
  if (separator !== undefined) return { kind: "own", name: "pathSeparator" };
  if (name !== undefined && fallback === undefined && ownNames.some((own) => own === name))
    return { kind: "own", name };
  if (name !== undefined)
    return { kind: "env", name, ...(fallback === undefined ? {} : { fallback }) };
  if (kind !== undefined) return { kind: kind as Reference["kind"], name: what };
  if (bare === "file") return { kind: bare, name: braces ?? "" };
  const written = groups.dollar ?? groups.written ?? braces ?? "";
  const divider = written.indexOf(":-");
  if (divider < 0) return { kind: "env", name: written };
  return { kind: "env", name: written.slice(0, divider), fallback: written.slice(divider + 2) };
}
