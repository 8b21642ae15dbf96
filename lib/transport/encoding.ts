/** Whether what a server wrote was UTF-8: in another encoding, characters are lost without a word. Pure. */
import { isUtf8 } from "node:buffer";

import type { Framed } from "./framed.ts";

/**
 * Looks at what a server writes, chunk by chunk, and at the messages that these complete. It keeps a few bytes at most, and makes
 * no text of them, as a decoder would, of however many megabytes a message is.
 */
export class Characters {
  /** What has come of the message that is not complete is no UTF-8. */
  #isBroken = false;
  /** The first bytes of a character whose others are still to come. */
  #begun: Uint8Array = none;

  /**
   * True where a character was lost in what this chunk completed, or may have been what broke it. A U+FFFD that was written as
   * such is none.
   */
  lostIn(all: readonly Framed[], chunk: Uint8Array): boolean {
    // A newline is within no character. Where there is none, the message was whole without it.
    const end = all.length === 0 ? 0 : chunk.lastIndexOf(newline) + 1 || chunk.length;
    let isLost = false;
    if (all.length > 0) {
      isLost = mayHaveLost(all) && (this.#isBroken || !isUtf8(this.#whole(chunk.subarray(0, end))));
      this.#isBroken = false;
      this.#begun = none;
    }
    if (end < chunk.length) this.#look(chunk.subarray(end));
    return isLost;
  }

  // --- internal ---

  #look(bytes: Uint8Array): void {
    const whole = this.#whole(bytes);
    const end = whole.length - begunIn(whole);
    this.#isBroken ||= !isUtf8(whole.subarray(0, end));
    this.#begun = whole.slice(end);
  }

  #whole(bytes: Uint8Array): Uint8Array {
    return this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
  }
}

/** True where U+FFFD in a text stands for what was lost, by how many bytes it was decoded from: most often that were fewer. */
export function lostInText(text: string, bytes: number): boolean {
  const written = Buffer.byteLength(text);
  return written !== bytes && written + markBytes !== bytes;
}

// --- internal ---

const newline = 0x0a;
const none = new Uint8Array();

/** A byte order mark, which is left out. */
const markBytes = 3;

/** A loop, not a callback: this is on the way of every message. */
function mayHaveLost(all: readonly Framed[]): boolean {
  for (const framed of all)
    if ("oversize" in framed || ("text" in framed && framed.text.includes("\ufffd"))) return true;
  return false;
}

/** How many bytes at the end may be the first ones of a character. */
function begunIn(bytes: Uint8Array): number {
  for (let count = 1; count <= 3; count += 1) {
    const byte = bytes.at(-count) ?? 0;
    if (byte < 0x80) return 0;
    // It says how many there are.
    if (byte >= 0xc0) return count < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? count : 0;
  }
  return 0;
}
