/** Temporary folders of tests. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempDir extends AsyncDisposable {
  path: string;
  /** Joins names to the folder. */
  file(...names: string[]): string;
}

/** A fresh folder by its real path, deleted when disposed. */
export async function tempDir(): Promise<TempDir> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "mcphost-test-")));
  return {
    path,
    file: (...names) => join(path, ...names),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
