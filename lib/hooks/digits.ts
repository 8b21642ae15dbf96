/** Results as plugins read and change them: plain numbers to read, and each with all of its digits where it is handed on. Pure. */
import { mayLoseDigits, parseJson } from "../base/json.ts";

/**
 * What a plugin made of a result that had this text: its numbers as they were written there. Of several that are one number
 * to whoever reads them, none can be told from the others. @throws TypeError for what is no JSON
 */
export function withWritten(given: unknown, raw: string): unknown {
  const written = mayLoseDigits(raw) ? writtenIn(raw) : undefined;
  if (written === undefined) return given;
  const text: string | undefined = JSON.stringify(given, (_key, value: unknown) => {
    const digits = typeof value === "number" ? written.get(value) : undefined;
    return digits === undefined ? value : JSON.rawJSON(digits);
  });
  return text === undefined ? given : parseJson(text);
}

// --- internal ---

/** The numbers of a text that a double does not hold, by what is read of them. */
function writtenIn(raw: string): ReadonlyMap<number, string> {
  const written = new Map<number, string>();
  const unclear = new Set<number>();
  const left: unknown[] = [parseJson(raw)];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    if (!JSON.isRawJSON(value)) {
      for (const child of Object.values(value)) left.push(child);
      continue;
    }
    const digits = (value as { rawJSON: string }).rawJSON;
    const number = Number(digits);
    if ((written.get(number) ?? digits) !== digits) unclear.add(number);
    written.set(number, digits);
  }
  for (const number of unclear) written.delete(number);
  return written;
}
