/** A count with a bound, of which each of several owners has a share. */
import { isWithinShare } from "../base/share.ts";
import type { Shares } from "./types.ts";

/** @param isShared several owners are there, or may come. @default one has all */
export function sharesOf(max: number, isShared: () => boolean = () => false): Shares {
  const held = new Map<string, number>();
  let size = 0;
  return {
    max,
    get size() {
      return size;
    },
    take(owner) {
      const own = held.get(owner) ?? 0;
      if (size >= max || (isShared() && !isWithinShare({ own, size, max }))) return false;
      size += 1;
      held.set(owner, own + 1);
      return true;
    },
    release(owner) {
      size -= 1;
      const own = (held.get(owner) ?? 1) - 1;
      if (own > 0) held.set(owner, own);
      else held.delete(owner);
    },
  };
}
