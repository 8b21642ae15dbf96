/**
 * Keeps the program itself in memory, packed. It is for a process that lives for long, whose files are taken away meanwhile:
 * by an update, or where a temporary folder is cleaned up. What is needed for the first time after that would not be there.
 */
import { parseJson } from "../base/json.ts";
import { debug, type Log } from "../base/log.ts";

/** What the build packs, in the folder above ours: the texts of the files by their names, as JSON. */
export const packName = "program.zst";

/**
 * A file of ours that is gone when it is first needed is what it was now. Of the source and of the one binary nothing is
 * kept: only what is shipped lies in such files. Never throws.
 */
export async function keepProgram(log: Log): Promise<void> {
  const { dir, path } = import.meta;
  if (!path.endsWith(".js")) return;
  try {
    const packed = await Bun.file(`${dir}/../${packName}`).bytes();
    const kept = (name: string) =>
      (parseJson(Bun.zstdDecompressSync(packed).toString()) as Record<string, string>)[name] ?? "";
    // Its name has the hash of what is in it: one that is there is the same.
    const textOf = async (file: string) =>
      await Bun.file(file)
        .text()
        .catch(() => kept(file.slice(dir.length + 1)));
    Bun.plugin({
      name: "files of the program",
      setup(builder) {
        const filter = new RegExp(`^${RegExp.escape(dir)}/[^/]+\\.js$`);
        builder.onLoad({ filter }, async (one) => ({
          contents: await textOf(one.path),
          loader: "js",
        }));
      },
    });
    debug(log, undefined, () => "the program is kept in memory");
  } catch (error) {
    debug(log, undefined, () => `the program is not kept in memory: ${String(error)}`);
  }
}
