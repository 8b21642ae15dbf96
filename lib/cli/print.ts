/**
 * Prints the results of tools (cli.md, call, Output). Nothing is decoded unless it is kept, and nothing is dropped without a
 * word. JSON is cut out of the text as it came: every digit stays.
 */
import { HostError } from "../base/errors.ts";
import { compact } from "../base/slice.ts";
import { writeEvent } from "./log.ts";
import { renderResult } from "./render.ts";
import type { Answer, Rendered } from "./render.ts";
import type { Binary } from "./save.ts";
import type { Io } from "./types.ts";
import { oneLine, visible } from "./visible.ts";

export interface PrintOptions {
  /** The tool's own name: what files are named after. */
  tool: string;
  json: boolean;
  quiet: boolean;
  /** `-o`: a path, or `-` for stdout. */
  output: string | undefined;
  /** `--save`: a folder. */
  save: string | undefined;
  /** It is not what was wanted (`--strict`): its text goes to stderr, as that of an error. @default false */
  refused?: boolean;
}

/**
 * Prints a result, or keeps it in files. The text of a result with `isError` goes to stderr.
 * @throws HostError `output`
 */
export async function printResult(
  answer: Answer,
  options: PrintOptions,
  io: Pick<Io, "stdout" | "stderr" | "terminal" | "cwd">,
): Promise<void> {
  const rendered = renderResult(answer);
  const note = async (text: string) => {
    if (options.quiet) return;
    if (options.json) writeEvent(io, { event: "log", level: "info", text });
    else await io.stderr.write(`${io.terminal.stderr ? visible(text) : text}\n`);
  };
  if (options.json) {
    const line = compact(answer.raw);
    await io.stdout.write(`${io.terminal.stdout ? visible(line) : line}\n`);
  }
  if (answer.result.isError === true || options.refused === true) {
    if (options.json) return;
    const shown = rendered.binaries.map((binary) => `[${nameOf(binary)}: not shown]\n`).join("");
    const silence = options.refused === true ? "" : saysNoMore;
    const text = `${rendered.text}${shown}` || silence;
    await io.stderr.write(io.terminal.stderr ? visible(text) : text);
    return;
  }
  // As JSON it stands there as it came.
  if (!options.json) for (const text of rendered.notes) await note(text);
  // Bytes that somebody wants on stdout stand there alone.
  const alone = options.output === "-" && rendered.binaries.length > 0;
  if (alone && rendered.text !== "") await note(rendered.text.replace(/\n$/, ""));
  const toFile = options.output !== undefined || options.save !== undefined;
  const kept = toFile ? await keep(rendered, options, io, note) : undefined;
  if (!options.json && kept?.text !== true && !alone && rendered.text !== "")
    await io.stdout.write(io.terminal.stdout ? visible(rendered.text) : rendered.text);
  if (kept === undefined && !options.json) {
    for (const binary of rendered.binaries)
      await note(`[${nameOf(binary)}: not shown; -o FILE or --save DIR keeps it]`);
  }
}

/** A binary in words: kind, type, place, size. Nothing is decoded. */
export function nameOf({ kind, mimeType, uri, base64 }: Binary): string {
  const bytes = Math.floor((base64.replace(/[\s=]+/g, "").length * 3) / 4);
  const words = [kind === "blob" ? "binary" : kind];
  for (const said of [mimeType, uri]) if (said !== undefined) words.push(oneLine(said, saidMax));
  return `${words.join(" ")}, ${bytes.toLocaleString("en-US")} bytes`;
}

// --- internal ---

const saidMax = 500;
const saysNoMore = "mcphost: the tool answered with an error, and says no more\n";

async function keep(
  rendered: Rendered,
  options: PrintOptions,
  io: Pick<Io, "stdout" | "terminal" | "cwd">,
  note: (text: string) => Promise<void>,
): Promise<{ text: boolean }> {
  const { output, save, tool } = options;
  const { binaries, exact } = rendered;
  const files = await import("./save.ts");
  if (save !== undefined) {
    if (binaries.length === 0)
      await note(
        `nothing is saved in ${save}: the result holds no picture, sound or other binary; -o FILE keeps a text`,
      );
    for (const path of await files.saveAll(binaries, { folder: save, cwd: io.cwd, tool }))
      await note(`saved ${path}`);
  }
  if (output === undefined) return { text: false };
  const [binary, ...more] = binaries;
  if (more.length > 0)
    throw new HostError(
      "output",
      `the result holds ${binaries.length} binaries, and -o takes one`,
      {
        hint: "the call itself was done; --save DIR keeps all of them",
      },
    );
  if (output === "-" && binary !== undefined && io.terminal.stdout)
    throw new HostError(
      "output",
      `the result is a binary (${nameOf(binary)}), and stdout is a terminal`,
      {
        hint: "the call itself was done; -o FILE keeps it, and a pipe takes it from -o -",
      },
    );
  const data = binary === undefined ? exact : files.decode(binary);
  if (output === "-")
    await io.stdout.write(io.terminal.stdout && typeof data === "string" ? visible(data) : data);
  else await files.writeTo({ path: output, cwd: io.cwd, createPath: false }, data);
  return { text: binary === undefined };
}
