/**
 * The begin of a plain call: its server is started by the line alone, before anything else of us is loaded. It needs its time,
 * and ours fits into that.
 */
import { Ahead } from "../../process/ahead.ts";
import type { ChildSpec, Reaper } from "../../process/child.ts";
import { childEnv } from "../../process/env.ts";
import { locate } from "../../process/locate.ts";
import { startReaper } from "../../process/reaper.ts";
import { run } from "../../process/run.ts";
import { currentFolder } from "../folder.ts";
import type { Io } from "../types.ts";
import { plainLine } from "./line.ts";
import type { PlainLine } from "./line.ts";

/** A server that runs, and may have been spoken with. */
export interface Begun {
  line: PlainLine;
  spec: ChildSpec;
  process: Ahead;
  reaper: Reaper;
}

/** Undefined where it is no plain line, and where the host has to tell why its server cannot be started. */
export function begin(argv: readonly string[], env: Io["env"]): Begun | undefined {
  const line = plainLine(argv);
  if (line === undefined) return undefined;
  const { command, args } = line;
  const name = "server";
  // First: a server that is started before it outlives us, if we are killed in between.
  const reaper = startReaper();
  if (reaper === undefined) return undefined;
  try {
    currentFolder({});
    const spec = { name, command, args, env: childEnv(env, { name }) };
    const file = locate(spec);
    if (file !== undefined) {
      const process = run({ argv: [file, ...args], verbatim: false }, spec, reaper.expect());
      reaper.add(process.pid);
      return { line, spec, process: new Ahead(process), reaper };
    }
  } catch {
    // The host says why.
  }
  reaper.release();
  return undefined;
}
