/** The folder that a command works in. Reads it once, and changes nothing. */
import { HostError } from "../base/errors.ts";
import type { Parsed } from "./types.ts";

/** The folder that we are in; where it was deleted, `--cwd` stands for it. @throws HostError `usage` */
export function currentFolder(flags: Parsed["flags"]): string {
  try {
    return process.cwd();
  } catch (cause) {
    const given = flags["cwd"];
    if (typeof given === "string" && given.startsWith("/")) return given;
    throw new HostError("usage", "the current folder does not exist any more", {
      hint: "change to another folder, or name one by its whole path with --cwd",
      cause,
    });
  }
}
