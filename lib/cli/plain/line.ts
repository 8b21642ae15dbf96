/**
 * The line of a plain call: `call TOOL [ARG…] -- COMMAND…` without a flag, its arguments complete as they stand. Pure. Any
 * other line, a wrong one too, is for others.
 */
import type { ArgumentPart } from "../../host/arguments.ts";
import { readArguments } from "../arguments.ts";

export interface PlainLine {
  tool: string;
  parts: ArgumentPart[];
  /** How the server is started. */
  command: string;
  args: string[];
}

/** Undefined where it is no such line. */
export function plainLine(argv: readonly string[]): PlainLine | undefined {
  const end = argv.indexOf("--");
  const [tool, command] = [argv[1], argv[end + 1]];
  if (argv[0] !== "call" || end < 2 || !tool || !command) return undefined;
  // The address of a server is no command.
  if (command.includes(":")) return undefined;
  for (let at = 1; at < end; at += 1) if (argv[at]?.startsWith("-")) return undefined;
  const parts = partsOf(argv.slice(2, end));
  return parts && { tool, parts, command, args: argv.slice(end + 2) };
}

// --- internal ---

function partsOf(words: readonly string[]): ArgumentPart[] | undefined {
  try {
    const parts: ArgumentPart[] = [];
    for (const part of readArguments(words)) {
      if (part.kind === "file" || part.kind === "stdin") return undefined;
      parts.push(part);
    }
    return parts;
  } catch {
    return undefined;
  }
}
