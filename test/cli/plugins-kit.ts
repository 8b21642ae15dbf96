/** Folders of plugins, and the servers that are called beside them. */
import { join } from "node:path";

import { bunAlone, root, type TempDir, tempDir } from "../harness.ts";

/** The command of a server that gives back what it gets. */
export const echo = [...bunAlone, join(root, "examples/echo.ts")];

/** A folder with these files. */
export async function folder(files: Record<string, string>): Promise<TempDir> {
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) await Bun.write(dir.file(name), text);
  return dir;
}

/** A config of these plugins, and of more. */
export const config = (plugins: unknown[], more: object = {}) =>
  JSON.stringify({ plugins, ...more });

/** A plugin of one tool that says a word. */
export const saying = (name: string, word: string) =>
  `export default { name: "${name}", tools: { ${name}: { description: "Says", input: {}, run: () => ${word} } } };`;
