/** The names closest to one that nobody knows, for "did you mean". Pure, and bounded whatever the names are. */

const clip = 40;

/** A name, or all the names of one thing: the first is the one to show. */
export type Candidate = string | readonly [string, ...string[]];

/**
 * The up to `max` candidates closest to `word`, best first: few edits away (a third of the length), holding it whole, or
 * having each of its parts (`files.read_txt` → `files_read_text_file`). Case does not count.
 */
export function nearest(word: string, candidates: Iterable<Candidate>, max = 3): string[] {
  const distance = distanceFrom(word.slice(0, clip));
  const scores = new Map<string, number>();
  for (const candidate of candidates) {
    const names = typeof candidate === "string" ? [candidate] : candidate;
    const [shown = ""] = names;
    const score = Math.min(...names.map(distance), scores.get(shown) ?? Infinity);
    if (score < Infinity) scores.set(shown, score);
  }
  const sorted = [...scores].toSorted(([, a], [, b]) => a - b);
  return sorted.slice(0, max).map(([name]) => name);
}

/** A hint that names them, or undefined where there is none. */
export function didYouMean(names: readonly string[]): string | undefined {
  const last = names.at(-1);
  if (last === undefined) return undefined;
  const others = names.slice(0, -1).join(", ");
  return `did you mean ${others === "" ? last : `${others} or ${last}`}?`;
}

// --- internal ---

/** How far a name is from `word`; Infinity where it is not near. */
function distanceFrom(word: string): (name: string) => number {
  const wanted = word.toLowerCase();
  const editsMax = editsOf(wanted);
  const parts = partsOf(word);
  return (name) => {
    const clipped = name.slice(0, clip);
    const other = clipped.toLowerCase();
    const edits = editDistance(wanted, other, editsMax);
    if (edits <= editsMax) return edits;
    if (wanted.length > 2 && other.includes(wanted)) return editsMax + 1;
    return editsMax + 2 + partsDistance(parts, partsOf(clipped));
  };
}

function editsOf(word: string): number {
  return Math.max(1, Math.floor(word.length / 3));
}

function partsOf(name: string): string[] {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts.map((part) => part.toLowerCase());
}

/** The edits to all parts, and what else the name has; Infinity where a part has nothing like it there. */
function partsDistance(wanted: readonly string[], others: readonly string[]): number {
  // One short part is like too many others.
  if (wanted.join("").length < 4) return Infinity;
  const edits = wanted.map((part) => {
    const max = part.length > 2 ? editsOf(part) : 0;
    return Math.min(...others.map((other) => editDistance(part, other, max)));
  });
  return edits.reduce((sum, one) => sum + one, Math.max(0, others.length - wanted.length));
}

/** Levenshtein's distance, where a swap of two neighbours is one edit, as typing errors are; Infinity beyond `max`. */
function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return Infinity;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped && row > 1 && column > 1) best = Math.min(best, (before[column - 2] ?? 0) + 1);
      current.push(best);
    }
    if (Math.min(...current) > max) return Infinity;
    before = above;
    above = current;
  }
  const distance = above[b.length] ?? 0;
  return distance > max ? Infinity : distance;
}
