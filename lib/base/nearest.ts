/** The names closest to one that nobody knows, for "did you mean". Pure, and bounded whatever the names are. */

const clip = 40;

/**
 * The up to `max` candidates closest to `word`, best first: few edits away (a third of the length), or holding it whole.
 * Case does not count.
 */
export function nearest(word: string, candidates: Iterable<string>, max = 3): string[] {
  const wanted = word.toLowerCase().slice(0, clip);
  const editsMax = Math.max(1, Math.floor(wanted.length / 3));
  const scored: { name: string; score: number }[] = [];
  for (const name of new Set(candidates)) {
    const other = name.toLowerCase().slice(0, clip);
    const edits =
      Math.abs(other.length - wanted.length) > editsMax ? Infinity : editDistance(wanted, other, editsMax);
    if (edits <= editsMax) scored.push({ name, score: edits });
    else if (wanted.length > 2 && other.includes(wanted)) scored.push({ name, score: editsMax + 1 });
  }
  scored.sort((a, b) => a.score - b.score);
  return scored.slice(0, max).map((entry) => entry.name);
}

// --- internal ---

/** Levenshtein's distance, where a swap of two neighbours is one edit, as typing errors are; gives up beyond `max`. */
function editDistance(a: string, b: string, max: number): number {
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
  return above[b.length] ?? 0;
}
