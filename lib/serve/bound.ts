/** A count with a bound. */
import type { Bound } from "./types.ts";

export function boundOf(max: number): Bound {
  let size = 0;
  return {
    max,
    get size() {
      return size;
    },
    take() {
      if (size >= max) return false;
      size += 1;
      return true;
    },
    release() {
      size -= 1;
    },
  };
}
