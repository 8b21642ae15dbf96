/** Whether lists of tools are kept at all (kept-tools.ts has them), found out without loading what reads them. */
import { joinPath, ourPaths } from "../config/paths.ts";
import type { Io } from "./types.ts";

/** A look at their folder, which has a size where it is there. */
export function isAnyKept(env: Io["env"]): boolean {
  const { cache } = ourPaths(env);
  if (cache === undefined) return false;
  return process.platform === "win32" || Bun.file(joinPath(cache, "lists")).size > 0;
}
