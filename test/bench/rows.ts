/** Rows of the benchmark: a figure of ours beside its floor, judged by a target, and printed as a table. */
import { median, type Sample } from "./measure.ts";

export interface Row {
  what: string;
  ours: string;
  floor: string;
  /** Ours over the floor, or an absolute figure where there is no floor. */
  value: number;
  target: number;
  /** More is better. @default less is better */
  atLeast?: boolean;
}

/** Of whole processes. */
export function wall(
  what: string,
  samples: { ours: Sample[]; floor: Sample[] },
  target: number,
): Row {
  return ratio(what, samples, (each) => each.wallMs, "ms", target);
}

/** Medians of both sides. */
export function ratio<T>(
  what: string,
  samples: { ours: T[]; floor: T[] },
  figure: (each: T) => number,
  unit: string,
  target: number,
): Row {
  const ours = median(samples.ours.map(figure));
  const floor = median(samples.floor.map(figure));
  const show = (value: number) => `${value.toFixed(1)} ${unit}`;
  return { what, ours: show(ours), floor: show(floor), value: ours / floor, target };
}

export function met({ value, target, atLeast = false }: Row): boolean {
  return atLeast ? value >= target : value <= target;
}

export function print(rows: Row[]): void {
  const table = rows.map((row) => [
    row.what,
    row.ours,
    row.floor,
    row.value.toFixed(2),
    `${row.atLeast ? "≥" : "≤"} ${row.target}`,
    met(row) ? "met" : "MISSED",
  ]);
  table.unshift(["what", "ours", "floor", "ratio", "target", ""]);
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!));
    console.log(cells.join("  ").trimEnd());
  }
}
