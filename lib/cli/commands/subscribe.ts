/**
 * `subscribe [URI…]`: one line on stdout for each change of a resource, or of the lists of a server, until Ctrl-C or until
 * the server ends it (cli.md, Commands). What is printed is what the next program asks for: a URI as `read` takes it.
 */
import { exitCodeOf, HostError, isHostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { ServerUpdate } from "../../host/lasting-types.ts";
import type { ListName, Topics } from "../../protocol/subscriptions.ts";
import { cause } from "../cause.ts";
import { shown } from "../fit.ts";
import { commonFlags, serverFlags } from "../flags.ts";
import { openFromFlags } from "../open.ts";
import type { Opened } from "../open.ts";
import { shellQuote } from "../tool-help.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "subscribe",
  description: "Print a line for each change of resources, or of the lists of servers",
  example:
    "mcphost subscribe demo://resource/dynamic/text/1 -- npx -y @modelcontextprotocol/server-everything",
  usage: "[URI…] [-- COMMAND…]",
  flags: {
    "URI…": {
      type: "positional",
      description:
        "as mcphost resources shows it; without one, changes of the lists of tools, prompts and resources",
    },
    lists: { type: "boolean", description: "changes of the lists, too" },
    ...commonFlags,
    ...serverFlags,
  },
  isEndless: true,
  run,
};

export default command;

// --- internal ---

const allLists: readonly ListName[] = ["tools", "prompts", "resources"];

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  await using opened = await openFromFlags(parsed, io, log);
  const wanted = await topics(opened, positionals, {
    lists: positionals.length === 0 || flags["lists"] === true,
    signal: io.signal,
  });
  const scope = new AbortController();
  const lines = new Lines(io, () => scope.abort());
  const signal = AbortSignal.any([io.signal, scope.signal]);
  const several = opened.config.servers.length > 1;
  /** A person would take the silence that follows for a fault. */
  const begun = (server: string) => {
    if (!io.terminal.stderr || flags["quiet"] === true || flags["json"] === true) return;
    void io.stderr.write(`mcphost: listening to ${JSON.stringify(server)}; Ctrl-C ends it\n`);
  };
  const one = async (server: string, asked: Topics): Promise<unknown> => {
    try {
      return await opened.host.subscribe({
        server,
        ...asked,
        signal,
        onOpen(missing) {
          const text = missing.length === 0 ? "" : `; it does not tell of ${missing.join(", ")}`;
          const level = missing.length === 0 ? "info" : "warn";
          log({ level, server, text: `subscribed${text}` });
          begun(server);
        },
        onUpdate(update) {
          for (const line of linesOf(update, asked)) lines.add(textOf(line, flags, several));
        },
      });
    } catch (error) {
      if (wanted.size === 1) throw await cause(withWay(error, asked), opened, positionals[0] ?? "");
      const text = error instanceof Error ? error.message : String(error);
      log({ level: "warn", server, text });
      return error;
    }
  };
  const ends = await Promise.all(Array.from(wanted, ([server, asked]) => one(server, asked)));
  await lines.written();
  if (isInterrupt(io.signal.reason)) return exitCodeOf(io.signal.reason);
  io.signal.throwIfAborted();
  const failed = ends.find((end) => end instanceof Error);
  if (failed !== undefined && ends.every((end) => end instanceof Error)) throw failed;
  return 0;
}

/** Who is told of nothing may look. */
function withWay(error: unknown, { uris = [] }: Topics): unknown {
  if (!isHostError(error) || error.facts["missing"] === undefined) return error;
  const { code, message, facts } = error;
  const [uri] = uris;
  const hint =
    uri === undefined
      ? "mcphost tools, resources and prompts show what there is now"
      : `mcphost read ${shellQuote(uri)} shows what it is now`;
  return new HostError(code, message, { facts, hint, cause: error });
}

/** Ctrl-C: the end that was announced, and no fault to tell of. */
function isInterrupt(reason: unknown): boolean {
  return isHostError(reason) && reason.facts.signal === "SIGINT";
}

/** What is wanted of each server. @throws HostError as `read` */
async function topics(
  opened: Opened,
  uris: readonly string[],
  { lists, signal }: { lists: boolean; signal: AbortSignal },
): Promise<Map<string, Topics>> {
  const found = new Map<string, { lists: readonly ListName[]; uris: string[] }>();
  const of = (server: string) => {
    const known = found.get(server) ?? { lists: lists ? allLists : [], uris: [] };
    found.set(server, known);
    return known;
  };
  if (lists)
    for (const { name, disabled } of opened.config.servers) if (disabled !== true) of(name);
  for (const wanted of uris) {
    try {
      const { server, uri } = await opened.host.locate(wanted, signal);
      of(server).uris.push(uri);
    } catch (error) {
      throw await cause(error, opened, wanted);
    }
  }
  if (found.size === 0 && opened.failures[0] !== undefined) throw opened.failures[0].error;
  return found;
}

interface Line {
  server: string;
  type: "resource" | "list";
  uri?: string;
  list?: ListName;
  /** It may have changed, while the link was lost. */
  stale?: true;
}

/** After a gap all that is subscribed to may have changed. */
function linesOf(update: ServerUpdate, { lists = [], uris = [] }: Topics): Line[] {
  const { server } = update;
  if (update.kind === "resource") return [{ server, type: "resource", uri: update.uri }];
  if (update.kind === "list") return [{ server, type: "list", list: update.list }];
  return [
    ...lists.map((list): Line => ({ server, type: "list", list, stale: true })),
    ...uris.map((uri): Line => ({ server, type: "resource", uri, stale: true })),
  ];
}

function textOf(line: Line, flags: Parsed["flags"], several: boolean): string {
  if (flags["json"] === true) return JSON.stringify(line);
  const what = (line.uri ?? line.list ?? "").replaceAll(/[\r\n]/g, " ");
  return several ? `${line.server}/${what}` : what;
}

/** Lines on their way to a reader that may be slow: one that waits already is not added again, for it says the same. */
class Lines {
  readonly #waiting = new Set<string>();
  readonly #io: Io;
  readonly #onLeft: () => void;
  #writing: Promise<void> | undefined;
  #error: unknown;

  /** @param onLeft the reader has left, or cannot be written to */
  constructor(io: Io, onLeft: () => void) {
    this.#io = io;
    this.#onLeft = onLeft;
  }

  add(line: string): void {
    if (this.#waiting.size < linesMax) this.#waiting.add(line);
    this.#writing ??= this.#write();
  }

  /** Everything is out. @throws HostError `output` */
  async written(): Promise<void> {
    await this.#writing;
    if (this.#error !== undefined) throw this.#error;
  }

  async #write(): Promise<void> {
    const { stdout } = this.#io;
    try {
      for (const line of this.#waiting) {
        this.#waiting.delete(line);
        await stdout.write(shown(`${line}\n`, this.#io));
      }
    } catch (error) {
      this.#error = isHostError(error) ? error : new Error(String(error));
    }
    this.#writing = undefined;
    if (stdout.closed || this.#error !== undefined) this.#onLeft();
  }
}

const linesMax = 10_000;
