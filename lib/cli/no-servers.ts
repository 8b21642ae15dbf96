/** What is said where no server is configured: how one is named, and which editor's config has some. Loaded for that alone. */
import { HostError } from "../base/errors.ts";
import { editorConfig } from "../config/editors.ts";
import { isUrl } from "../config/links.ts";
import { ourPaths, shownPath } from "../config/paths.ts";
import type { Config } from "../config/types.ts";
import type { Io } from "./types.ts";

/**
 * @param config what was read: files without servers are named
 * @param words what stands on the line: an address among them was meant as a server
 */
export async function noServers(
  { cwd, env }: Pick<Io, "cwd" | "env">,
  { servers: disabled, files }: Pick<Config, "servers" | "files">,
  words: readonly string[] = [],
): Promise<HostError> {
  const { home } = ourPaths(env);
  const read = files
    .flatMap(({ file }) => (file === undefined ? [] : [shownPath(file, cwd, home)]))
    .join(", ");
  const none = read === "" ? "no server is configured" : `no server is configured in ${read}`;
  const why = disabled.length > 0 ? "every configured server is disabled" : none;
  if (words.some(isUrl))
    return new HostError("config", why, { hint: "the address of a server is given by -s URL" });
  const found = disabled.length > 0 ? undefined : await editorConfig(cwd, home);
  // As a shell takes it: a ~ in quotes is none.
  const file = found && shownPath(found, cwd, home).replaceAll(" ", "\\ ");
  const theirs = file === undefined ? "" : `; an editor has some: -c ${file}`;
  const hint = `name one: -- COMMAND…, -s NAME=COMMAND, -s URL, -c FILE, or a mcphost.json in this folder or above${theirs}`;
  return new HostError("config", why, { hint });
}
