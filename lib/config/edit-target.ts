/** Which file servers are added to while others come from elsewhere (cli.md, Config). Looks, and reads nothing. */
import { HostError } from "../base/errors.ts";
import type { EditProblem } from "./edit.ts";
import { findUserConfig } from "./find.ts";
import type { LoadOptions } from "./load.ts";
import type { Origin } from "./origin.ts";
import { joinPath, ourPaths, resolvePath, shownPath } from "./paths.ts";

/**
 * The file named by the one `-c`, else the user's own, whether or not it is there yet; never a project's that was found.
 * @throws HostError `usage` with `facts.problem` `file`: what were added to a file would not count beside these sources
 */
export async function editTarget(options: LoadOptions): Promise<Origin & { file: string }> {
  const { files = [], json = [], servers = [], rest, cwd, env } = options;
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0)
    return { file: resolvePath(cwd, only), label: only, kind: "named" };
  if (files.length + json.length + servers.length > 0 || rest !== undefined)
    throw refused("the servers here come from the command line: no file is theirs alone");
  const folder = ourPaths(env).config;
  if (folder === undefined || options.noUserConfig === true)
    throw refused("there is no folder for a config of your own");
  const file = (await findUserConfig(env)) ?? joinPath(folder, "config.json");
  return { file, label: shownPath(file, cwd, ourPaths(env).home), kind: "user" };
}

// --- internal ---

function refused(message: string): HostError {
  const problem: EditProblem = "file";
  return new HostError("usage", message, {
    facts: { problem },
    hint: "name one file: -c FILE",
  });
}
