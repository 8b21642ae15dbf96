/** What completion answers. */

export interface Candidate {
  /** The whole word, as it should stand. One that ends in `=` goes on: no space after it. */
  word: string;
  description?: string;
}

/** The shell's own names of files, and what stands before them in their word: `--config=`, `key=@`. */
export interface Files {
  filesBehind: string;
}

export type Completion = Candidate[] | Files;

/** What is said of an argument. */
export function argumentWords(required: boolean, text: string): string {
  if (!required) return text;
  return text === "" ? "required" : `required: ${text}`;
}

/** With the first line of a description that fits beside it. */
export function described(candidate: Candidate, text: string | undefined): Candidate {
  const line = text?.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line ? { ...candidate, description: line.slice(0, 80) } : candidate;
}
