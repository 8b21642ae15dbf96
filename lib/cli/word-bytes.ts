/**
 * The bytes of the words of our command line. A word that is no UTF-8 comes to us with U+FFFD where its bytes were: what
 * was meant can no longer be sent, opened or started. A U+FFFD that somebody typed is a character like any other.
 */
import { isUtf8 } from "node:buffer";

import { shorten } from "../base/clip.ts";
import { HostError } from "../base/errors.ts";

/**
 * Looks at the bytes as the system keeps them. Where it does not (no `/proc`), nothing is refused.
 * @throws HostError `usage`
 */
export async function checkBytes(words: readonly string[]): Promise<void> {
  const index = notText(words, await ownBytes());
  if (index === undefined) return;
  const word = JSON.stringify(shorten(words[index] ?? "", 60));
  throw new HostError("usage", `the word ${word} is not UTF-8 text, and its bytes are lost`, {
    hint: "encode it first, for example with base64; a file of such a name is read as stdin: key=@- < FILE",
  });
}

// --- internal ---

/** Which of the words is no UTF-8: they are the last ones of `line`, each with a NUL behind it. */
function notText(words: readonly string[], line: Uint8Array): number | undefined {
  // A character for each byte.
  const all = Buffer.from(line).toString("latin1").split("\0").slice(0, -1);
  const index = all.slice(-words.length).findIndex((word) => !isUtf8(Buffer.from(word, "latin1")));
  return index < 0 ? undefined : index;
}

async function ownBytes(): Promise<Uint8Array> {
  try {
    return await Bun.file("/proc/self/cmdline").bytes();
  } catch {
    return new Uint8Array();
  }
}
