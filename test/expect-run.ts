/** What one run of the program came to, and how it is compared with what was expected. */
import { expect } from "bun:test";

/** What one run of the program came to. */
export interface Run {
  /** Null when it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** In every environment of the run: give it to `liveProcesses`. */
  marker: string;
  ms: number;
}

/** How a run is to end. */
export interface Expected {
  /** Null: it was killed. @default 0 */
  code?: number | null;
  /** Exact text, or a pattern. @default "" */
  stdout?: string | RegExp;
  /** Exact text, or a pattern. @default "" */
  stderr?: string | RegExp;
}

/** Compares exit status, stdout and stderr at once, so that a failure shows all three. */
export function expectRun(run: Run, expected: Expected): void {
  const { code, stdout, stderr } = run;
  expect<unknown>({ code, stdout, stderr }).toEqual({
    code: expected.code === undefined ? 0 : expected.code,
    stdout: wanted(expected.stdout ?? "", stdout),
    stderr: wanted(expected.stderr ?? "", stderr),
  });
}

// --- internal ---

/** The pattern itself where it does not match, so that the comparison shows it beside the text. */
function wanted(expected: string | RegExp, actual: string): string | RegExp {
  return expected instanceof RegExp && expected.test(actual) ? actual : expected;
}
