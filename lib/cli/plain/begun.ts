/** What a plain call has begun by its line alone. */
import type { Ahead } from "../../process/ahead.ts";
import type { ChildSpec, Reaper } from "../../process/child.ts";
import type { KnownEra, ReadConfig } from "../types.ts";
import type { PlainLine, PlainUrl } from "./line.ts";

export type Begun = { line: PlainLine } & ({ started: BegunProcess } | PlainUrl);

/** A server that runs, and may have been spoken with. */
export interface BegunProcess {
  spec: ChildSpec;
  process: Ahead;
  reaper: Reaper;
  /** Where it was. */
  known?: KnownEra | undefined;
  /** What says how it is started, where that is a file. */
  config?: ReadConfig;
}
