/**
 * Windows command lines as pure functions: how arguments are quoted, how `.cmd` and `.bat` shims are run without their
 * arguments becoming commands, and where a command is looked for. Nothing here runs anything.
 */

/** What to hand to the system: the parts are joined by spaces and not quoted again. */
export interface WindowsCommand {
  file: string;
  args: string[];
}

/** Quotes one argument as `CommandLineToArgvW` and the C runtime read it back. */
export function quoteArgument(argument: string): string {
  if (argument !== "" && !/[\s"]/.test(argument)) return argument;
  // Backslashes count double only before a quote, and the closing quote is one.
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}

/**
 * Quotes one argument of a batch file. Inside quotes cmd.exe leaves `& | < > ^ ( )` alone, `!` is off by `/v:off`, a
 * quote is doubled, and `%` is followed by a variable part that is always empty, so that no `%NAME%` comes together.
 */
export function quoteBatchArgument(argument: string): string {
  const body = argument
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, "$1$1")
    .replaceAll("%", "%%cd:~,%");
  return `"${body}"`;
}

/** True for what only cmd.exe can run. */
export function isBatch(file: string): boolean {
  return /\.(?:cmd|bat)[. ]*$/i.test(file);
}

/** True if the argument cannot be handed to a batch file: a line break would end the command. */
export function isUnfitForBatch(argument: string): boolean {
  return /[\r\n\0]/.test(argument);
}

/** The command line of a found file. @param comSpec cmd.exe, for batch files */
export function windowsCommand(
  file: string,
  args: readonly string[],
  comSpec: string,
): WindowsCommand {
  if (!isBatch(file)) return { file, args: args.map(quoteArgument) };
  const line = [`"${file.replaceAll("%", "%%cd:~,%")}"`, ...args.map(quoteBatchArgument)].join(" ");
  // /s: cmd.exe takes off the outermost quotes and nothing else; /d: no AutoRun; /e:on: `%cd:~,%` is understood.
  return { file: comSpec, args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`] };
}

export interface WindowsLookup {
  path: string;
  pathExt: string | undefined;
  /** Folder that relative parts are relative to. */
  cwd: string;
}

/**
 * Every file that a command can mean, in the order in which they are tried. A name without a known extension gets each
 * of PATHEXT; one with a known extension is tried as it is first. The current folder is not searched.
 */
export function windowsCandidates(
  command: string,
  { path, pathExt, cwd }: WindowsLookup,
): string[] {
  const extensions = (pathExt ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((e) => e.startsWith("."));
  const isKnown = extensions.some((e) => command.toLowerCase().endsWith(e.toLowerCase()));
  const names = [...(isKnown ? [command] : []), ...extensions.map((e) => command + e)];
  if (/[\\/]/.test(command) || /^[a-z]:/i.test(command))
    return names.map((name) => absolute(name, cwd));
  const folders = path
    .split(";")
    .map(unquoted)
    .filter((folder) => folder !== "");
  return folders.flatMap((folder) =>
    names.map((name) => absolute(`${trimEnd(folder)}\\${name}`, cwd)),
  );
}

// --- internal ---

function absolute(file: string, cwd: string): string {
  return /^(?:[a-z]:|[\\/])/i.test(file) ? file : `${trimEnd(cwd)}\\${file}`;
}

function unquoted(folder: string): string {
  return folder.trim().replace(/^"(.*)"$/, "$1");
}

function trimEnd(folder: string): string {
  return folder.replace(/[\\/]$/, "");
}
