/**
 * The bytes of the words of our command line. A word that is no UTF-8 comes to us with U+FFFD where its bytes were: what
 * was meant can no longer be sent, opened or started. A U+FFFD that somebody typed is a character like any other.
 */
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
  const all: Uint8Array[] = [];
  for (let from = 0; from < line.length;) {
    const end = line.indexOf(0, from);
    const to = end < 0 ? line.length : end;
    all.push(line.subarray(from, to));
    from = to + 1;
  }
  const given = all.slice(-words.length);
  const index = given.findIndex((bytes) => !isText(bytes));
  return index < 0 ? undefined : index;
}

async function ownBytes(): Promise<Uint8Array> {
  try {
    return await Bun.file("/proc/self/cmdline").bytes();
  } catch {
    return new Uint8Array();
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
