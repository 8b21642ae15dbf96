/** Where an entry of a config was written: messages name it, and trust depends on it. */
export interface Origin {
  /** Absolute file, or undefined for a flag. */
  file?: string;
  /** What to call it in a message: the file as a person would name it, or the flag. */
  label: string;
  /** `named`: by a flag or MCPHOST_CONFIG; `user`: the user's own file; `found`: going up from here (needs trust). */
  kind: "named" | "user" | "found";
}
