/** What is said where no server is configured: how one is named, and which editor's config has some. Loaded for that alone. */
import { HostError } from "../base/errors.ts";
import { editorConfig } from "../config/editors.ts";
import { isUrl } from "../config/links.ts";
import { ourPaths, shownPath } from "../config/paths.ts";
import type { ServerConfig } from "../config/types.ts";
import type { Io } from "./types.ts";

/** @param words what stands on the line: an address among them was meant as a server */
export async function noServers(
  { cwd, env }: Pick<Io, "cwd" | "env">,
  disabled: readonly ServerConfig[] = [],
  words: readonly string[] = [],
): Promise<HostError> {
  const why =
    disabled.length > 0 ? "every configured server is disabled" : "no server is configured";
  if (words.some(isUrl))
    return new HostError("config", why, { hint: "the address of a server is given by -s URL" });
  const { home } = ourPaths(env);
  const found = disabled.length > 0 ? undefined : await editorConfig(cwd, home);
  // As a shell takes it: a ~ in quotes is none.
  const file = found && shownPath(found, cwd, home).replaceAll(" ", "\\ ");
  const theirs = file === undefined ? "" : `; an editor has some: -c ${file}`;
  const hint = `name one: -- COMMAND…, -s NAME=COMMAND, -s URL, -c FILE, or a mcphost.json in this folder or above${theirs}`;
  return new HostError("config", why, { hint });
}
