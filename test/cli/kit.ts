/** The server and the command lines that tests of the command line share. */
import { join } from "node:path";

import { bunAlone, mcphost, root } from "../harness.ts";

/** The command of a server with one tool for each thing to get right (fixtures/cli/many.ts). */
export const manyServer = [...bunAlone, join(root, "test/fixtures/cli/many.ts")];

/** A command line that ends in `-- COMMAND` of that server. */
export const many = (...words: string[]) => mcphost(...words, "--", ...manyServer);

export const call = (...words: string[]) => many("call", ...words);

/** Files that the server makes when its tool hangs, and when it is told that the call was cancelled. */
export function marksIn(dir: { file(name: string): string }) {
  const [hanging, cancelled] = [dir.file("hanging"), dir.file("cancelled")];
  return {
    flags: ["--env", `FIXTURE_HANGING=${hanging}`, "--env", `FIXTURE_CANCELLED=${cancelled}`],
    hanging: () => Bun.file(hanging).exists(),
    cancelled: () => Bun.file(cancelled).exists(),
  };
}
