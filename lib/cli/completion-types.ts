/** What completion answers. */

export interface Candidate {
  /** The whole word, as it should stand. One that ends in `=` goes on: no space after it. */
  word: string;
  description?: string;
}

/** Candidates, or `files`: the shell's own names of files. */
export type Completion = Candidate[] | "files";

/** With the first line of a description that fits beside it. */
export function described(candidate: Candidate, text: string | undefined): Candidate {
  const line = text?.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line ? { ...candidate, description: line.slice(0, 80) } : candidate;
}
