/** What the tests of hostile servers share. */
import { join } from "node:path";

import { bunAlone, root } from "../harness.ts";

/** The command of a server that is hostile in this way (fixtures/break/hostile.ts). */
export const hostile = (mode: string) => [
  ...bunAlone,
  join(root, "test/fixtures/break/hostile.ts"),
  mode,
];
