/** What errors of the system and of Bun say of themselves beside their words. */

/** The code of an error, such as `ENOENT`; undefined where it has none. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
