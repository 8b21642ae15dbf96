/** All that is served, in one list: a face is a line. */
import type { Face } from "./types.ts";

export const faces: readonly Face[] = [];
