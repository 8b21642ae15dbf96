/**
 * From a configured command to what the system is asked to start, and from its refusal to words: not found, not
 * executable, no interpreter, no such folder are told apart. It never starts anything itself.
 */
import { type Facts, HostError } from "../base/errors.ts";
import type { ChildSpec } from "./child.ts";
import { absolute, folderOf, foldersOf, isPath, locate, pathOf } from "./run.ts";
import type { Resolved } from "./run.ts";
import { isBatch, isUnfitForBatch, windowsCandidates, windowsCommand } from "./windows.ts";

/**
 * Finds the command on the server's own PATH (POSIX default `/usr/bin:/bin`); one with a slash is relative to its folder.
 * @throws HostError `server_start` when nothing is found · `config` for an argument that cannot be passed on
 */
export function resolveCommand(spec: ChildSpec): Resolved {
  for (const [index, text] of [spec.command, ...spec.args].entries()) {
    if (text.includes("\0")) {
      const what = index === 0 ? "the command" : `argument ${index}`;
      throw new HostError("config", `server "${spec.name}": ${what} has NUL in it`, {
        facts: factsOf(spec),
      });
    }
  }
  if (process.platform === "win32") return resolveOnWindows(spec);
  const file = locate(spec);
  if (file === undefined) throw notFound(spec, "ENOENT");
  return { argv: [file, ...spec.args], verbatim: false };
}

/** What the system's refusal to start `file` means, in words. */
export function startError(spec: ChildSpec, file: string, cause: unknown): HostError {
  const errno = (cause as NodeJS.ErrnoException).code ?? "unknown";
  const cwd = spec.cwd;
  if (cwd !== undefined && !stat(cwd)?.isDirectory()) {
    const fault = stat(cwd) === undefined ? "does not exist" : "is not a folder";
    const hint = "create the folder or correct `cwd`";
    return failed(spec, `its folder ${cwd} ${fault}`, { errno, hint, cause });
  }
  if (errno === "EACCES" || errno === "EPERM") return notExecutable(spec, file, errno, cause);
  if (errno === "ENOEXEC") {
    const hint =
      "a script needs a first line such as `#!/usr/bin/env node`, a binary must be built for this system";
    return failed(spec, `${file} is no program that this system can run`, { errno, hint, cause });
  }
  if (errno === "ENOENT" || errno === "ENOTDIR") {
    const isThere = stat(file) !== undefined;
    if (!isThere) return notFound(spec, errno, cause);
    const hint = "install the interpreter or correct the first line of the script";
    return failed(spec, `the interpreter that ${file} names is missing`, { errno, hint, cause });
  }
  const hint = scarce.get(errno);
  return failed(spec, `${file} could not be started (${errno})`, {
    errno,
    cause,
    ...(hint !== undefined && { hint }),
  });
}

// --- internal ---

/** What the system had too little of. */
const scarce: ReadonlyMap<string, string> = new Map([
  ["EMFILE", "too many files are open in this process: `ulimit -n` allows more"],
  ["ENFILE", "too many files are open on this machine"],
  ["EAGAIN", "too many processes run: `ulimit -u` allows more"],
  ["ENOMEM", "there is too little memory"],
  ["E2BIG", "its arguments and its environment are too long together"],
]);

interface Why {
  errno: string;
  hint?: string;
  cause?: unknown;
  facts?: Facts;
}

function failed(spec: ChildSpec, reason: string, { errno, hint, cause, facts }: Why): HostError {
  return new HostError("server_start", `server "${spec.name}" cannot be started: ${reason}`, {
    facts: { ...factsOf(spec), errno, ...facts },
    ...(hint !== undefined && { hint }),
    cause,
  });
}

function factsOf({ name, command, cwd }: ChildSpec): Facts {
  return { server: name, command, ...(cwd !== undefined && { cwd }) };
}

function notFound(spec: ChildSpec, errno: string, cause?: unknown): HostError {
  const { command, env } = spec;
  if (isPath(command)) {
    return failed(spec, `${absolute(command, folderOf(spec))} does not exist`, {
      errno,
      hint: oneWord(command) ?? "correct the path; a relative one starts at the server's folder",
      cause,
    });
  }
  const path = pathOf(env);
  const unfit = foldersOf(spec)
    .map((folder) => `${folder}/${command}`)
    .find((file) => stat(file)?.isFile());
  if (unfit !== undefined) return notExecutable(spec, unfit, "EACCES", cause);
  return failed(spec, `the command "${command}" was not found on its PATH (${path})`, {
    errno,
    hint: oneWord(command) ?? missingHint,
    cause,
    facts: { path },
  });
}

const missingHint = "install it, write its full path, or set PATH in the server's `env`";

/** A whole command line in the place of its first word, or a word in quotes of a shell. */
function oneWord(command: string): string | undefined {
  if (/^["'].*["']$/.test(command))
    return "its quotes are part of the name, since no shell takes them away: leave them out";
  return /\S\s+\S/.test(command)
    ? "it is one word, spaces included: drop the quotes around it, or move what follows the program into `args`"
    : undefined;
}

function notExecutable(spec: ChildSpec, file: string, errno: string, cause: unknown): HostError {
  if (stat(file)?.isDirectory()) return failed(spec, `${file} is a folder`, { errno, cause });
  return failed(spec, `permission denied: ${file} is not executable`, {
    errno,
    hint: `chmod +x ${file}`,
    cause,
  });
}

function resolveOnWindows(spec: ChildSpec): Resolved {
  const variable = (name: string) =>
    Object.entries(spec.env).find(([key]) => key.toUpperCase() === name)?.[1];
  const path = variable("PATH") ?? "";
  const lookup = { path, pathExt: variable("PATHEXT"), cwd: folderOf(spec) };
  const file = windowsCandidates(spec.command, lookup).find((name) => stat(name)?.isFile());
  if (file === undefined) {
    throw failed(spec, `the command "${spec.command}" was not found on its PATH (${path})`, {
      errno: "ENOENT",
      hint: oneWord(spec.command) ?? missingHint,
      facts: { path },
    });
  }
  if (isBatch(file) && spec.args.some(isUnfitForBatch)) {
    const hint = "start its program directly, not by a batch file";
    throw failed(spec, `${file} cannot be given an argument with a line break`, {
      errno: "EINVAL",
      hint,
    });
  }
  const command = windowsCommand(file, spec.args, variable("COMSPEC") ?? "cmd.exe");
  return { argv: [command.file, ...command.args], verbatim: true };
}

/** Only where a start failed (and on Windows), so that node:fs is not loaded on the way to a good one. */
function stat(file: string) {
  const { statSync } = process.getBuiltinModule("node:fs");
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
