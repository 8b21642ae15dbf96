/** server-everything as a fixture of `serveOver`. */
import { join } from "node:path";

import { root } from "../harness.ts";
import type { Fixture } from "./kit.ts";

const program = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

export const everything = { args: [program] } as Fixture;
