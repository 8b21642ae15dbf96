/** Fragments of bytes, joined. Pure. */

/** One copy of all. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A copy of the first bytes of what the parts hold together. */
export function firstBytes(parts: readonly Uint8Array[], bytesMax: number): Uint8Array {
  const kept: Uint8Array[] = [];
  let room = bytesMax;
  for (const part of parts) {
    if (room === 0) break;
    kept.push(part.subarray(0, room));
    room -= Math.min(room, part.length);
  }
  return concat(kept);
}

/** A copy of the last bytes of what the parts hold together. */
export function lastBytes(parts: readonly Uint8Array[], bytesMax: number): Uint8Array {
  const kept: Uint8Array[] = [];
  let room = bytesMax;
  for (let i = parts.length - 1; i >= 0 && room > 0; i -= 1) {
    const part = parts[i] as Uint8Array;
    kept.unshift(part.subarray(Math.max(0, part.length - room)));
    room -= Math.min(room, part.length);
  }
  return concat(kept);
}
