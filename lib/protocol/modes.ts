/** What the capabilities of a client may name, by revision (protocol.md 1.2, 1.14). The one place that tells. Pure. */

/**
 * From 2025-11-25 on `elicitation` names its modes and `sampling` its tools; before, `elicitation: {}` stands for forms
 * and there is nothing more. Revisions are dates.
 */
export function namesModes(revision: string): boolean {
  return revision >= "2025-11-25";
}

/** The wire error of 2025-11-25 with `data.elicitations`: the person has to visit these first (protocol.md 1.18). */
export const urlElicitationRequired = -32042;
