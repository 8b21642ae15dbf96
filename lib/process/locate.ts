/** Where the program of a server's command lies (POSIX). It looks, and starts nothing. */
import type { ChildSpec } from "./child.ts";

/**
 * Its path: of a command with a slash as seen from the server's folder, whether it is there or not; else as it is found on the
 * server's own PATH (default `/usr/bin:/bin`), undefined where it is not.
 */
export function locate(spec: ChildSpec): string | undefined {
  const { command } = spec;
  if (isPath(command)) return absolute(command, folderOf(spec));
  if (command === "") return undefined;
  const path = pathOf(spec.env);
  const folders = isAbsolute(path) ? path : foldersOf(spec).join(":");
  return Bun.which(command, { PATH: folders }) ?? undefined;
}

/** A command that is looked for nowhere. */
export function isPath(command: string): boolean {
  return command.includes("/");
}

/** The PATH of a server. */
export function pathOf(env: Readonly<Record<string, string>>): string {
  return env.PATH ?? "/usr/bin:/bin";
}

/** The folders of a server's PATH; relative ones, and the empty one, start at the server's folder. */
export function foldersOf(spec: ChildSpec): string[] {
  const folders = pathOf(spec.env).split(":");
  return folders.map((folder) => absolute(folder, folderOf(spec)));
}

/** The folder that a server runs in. */
export function folderOf({ cwd }: ChildSpec): string {
  return cwd ?? process.cwd();
}

/** A file as seen from a folder. */
export function absolute(file: string, folder: string): string {
  return file.startsWith("/") ? file : `${folder}/${file}`;
}

// --- internal ---

/** All folders of a PATH are. By a loop: this is on the way of each start, and an expression is compiled first. */
function isAbsolute(path: string): boolean {
  let isAt = path.startsWith("/");
  for (let at = path.indexOf(":"); isAt && at >= 0; at = path.indexOf(":", at + 1))
    isAt = path.startsWith("/", at + 1);
  return isAt;
}
