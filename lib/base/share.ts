/**
 * Whether one of several may have one more of what is bounded: as long as it has fewer than are free. So there is room for
 * whoever comes, nobody's share has to be set, and what nobody else wants is not kept from the others for long. Pure.
 */
export function isWithinShare({ own, size, max }: { own: number; size: number; max: number }) {
  return own < max - size;
}
