/** What the commands that list something share: a pattern, lines that fit, what failed told beside what was had. */
import { exitCodeOf } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { matchesGlob } from "../base/glob.ts";
import type { Log } from "../base/log.ts";
import { reportFailures } from "./failures.ts";
import type { Failure } from "./failures.ts";
import { cut, fold } from "./fit.ts";
import type { Opened } from "./open.ts";
import type { Io, Parsed } from "./types.ts";

/**
 * Tells of warnings and failures, those of the config too. Returns the exit status so far, and `failed`, that of the first
 * failure: for where nothing was had.
 */
export async function tellOf(
  { failed, warnings }: { failed: readonly Failure[]; warnings: readonly Warning[] },
  opened: Opened,
  { parsed, io, log }: { parsed: Parsed; io: Io; log: Log },
): Promise<{ code: number; failed: number | undefined }> {
  for (const { server, text } of warnings) log({ level: "warn", server, text });
  const explained = await Promise.all(
    failed.map(async ({ server, error }) => ({
      server,
      error: (await opened.explain(error)) as HostError,
    })),
  );
  const failures = [...opened.failures, ...explained];
  const code = await reportFailures(failures, parsed, io);
  const [first] = failures;
  return { code, failed: first && (code || exitCodeOf(first.error)) };
}

/** Says that there is nothing to show, where an empty stdout would look like a mistake of ours. */
export async function tellNone(
  what: string,
  { flags }: Parsed,
  io: Io,
  hint?: string,
): Promise<void> {
  if (flags["json"] === true || flags["quiet"] === true) return;
  await io.stderr.write(
    `mcphost: there are no ${what}\n${hint === undefined ? "" : `  ${hint}\n`}`,
  );
}

/**
 * The items that a pattern means: a glob over their names, else a name, else a word of a name or text. Exact names come
 * first: an item is not hidden by others whose descriptions mention it.
 */
export function matching<Item>(
  pattern: string,
  items: readonly Item[],
  of: {
    names: (item: Item) => readonly string[];
    texts: (item: Item) => readonly (string | undefined)[];
  },
): Item[] {
  if (pattern.includes("*"))
    return items.filter((item) => of.names(item).some((name) => matchesGlob(pattern, name)));
  const exact = items.filter((item) => of.names(item).includes(pattern));
  if (exact.length > 0) return exact;
  const word = pattern.toLowerCase();
  return items.filter((item) =>
    [...of.names(item), ...of.texts(item)].some((text) => text?.toLowerCase().includes(word)),
  );
}

/** A name, and the beginning of what is said of it: on a terminal one line, or two where there is no room. */
export function lineOf(name: string, description: string | undefined, width: number): string {
  const head = fold(name, width);
  const said = (description ?? "").trim().split(/[\n-\r\u0085\u2028\u2029]/, 1)[0] ?? "";
  const words = said.length > saidMax ? `${said.slice(0, saidMax - 1)}…` : said;
  if (words === "") return head;
  const room = width - Bun.stringWidth(head) - 4;
  return room < Math.min(roomMin, words.length) || head.includes("\n")
    ? `${head}\n${cut(`    # ${words}`, width)}`
    : cut(`${head}  # ${words}`, width);
}

// --- internal ---

interface Warning {
  server: string;
  text: string;
}

const saidMax = 100;
/** Less of a description is not worth its line. */
const roomMin = 25;
