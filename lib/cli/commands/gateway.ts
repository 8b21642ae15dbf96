/**
 * `gateway`: the MCP gateway on stdin and stdout, for the config files of other hosts (cli.md, Commands). Stdout holds the
 * protocol alone; the end of stdin ends it with 0.
 */
import { settlesWithin } from "../../base/async.ts";
import { HostError } from "../../base/errors.ts";
import { LineSplitter } from "../../base/lines.ts";
import type { Log } from "../../base/log.ts";
import { compact } from "../../base/slice.ts";
import { Turns } from "../../base/turns.ts";
import { Duplex } from "../../serve/gateway-duplex.ts";
import { createGateway } from "../../serve/gateway.ts";
import { sharesOf } from "../../serve/shares.ts";
import { commonFlags, policyFlags, serverFlags } from "../flags.ts";
import { keepProgram } from "../keep-program.ts";
import { openFromFlags } from "../open.ts";
import { profiledBy, profileFlags } from "../profile.ts";
import { logFailures } from "../serve-show.ts";
import { stdinError } from "../stdin-reader.ts";
import type { Command, Io, Parsed, Sink } from "../types.ts";

const command: Command = {
  name: "gateway",
  description: "Speak MCP on stdin and stdout, as one server in front of all servers",
  example: "mcphost gateway -- npx -y @modelcontextprotocol/server-everything",
  usage: "[-- COMMAND…]",
  flags: { ...commonFlags, ...profileFlags, ...serverFlags, ...policyFlags },
  run,
};

export default command;

// --- internal ---

/** Of the one client, which may greet us again before what it had is gone. */
const guestsMax = 4;
/** How long requests that run when stdin ends may go on. */
const graceMs = 2000;
/** Characters that wait for a slow reader; what answers nothing is dropped beyond. */
const waitingMax = 4_194_304;
/** What a line costs beside its bytes, as if it were so many. */
const lineCost = 1024;

/** For whoever started it by hand, and would think that it hangs. */
const typedAt =
  "mcphost: the gateway waits for MCP messages on stdin: it is for the config of an MCP client; Ctrl-D ends it\n";

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { positionals } = parsed;
  if (positionals.length > 0)
    throw new HostError("usage", `gateway takes no ${JSON.stringify(positionals[0])}`, {
      hint: "a server's command line stands after --",
    });
  // Nobody is asked anything here: stdin is the client's.
  const terminal = { ...io.terminal, stdin: false };
  await using opened = await openFromFlags(parsed, { ...io, terminal }, log, undefined, {
    isLasting: true,
  });
  for (const { error } of opened.failures) log({ level: "warn", text: error.message });
  // A list of several servers is given without those that fail: this is where it is told.
  using _failures = logFailures(opened.host, log);
  const stopping = new AbortController();
  using gateway = createGateway({
    host: opened.host,
    log,
    stopping: stopping.signal,
    guests: sharesOf(guestsMax),
    redact: (text) => io.secrets?.hide(text) ?? text,
  });
  if (io.terminal.stdin && parsed.flags["quiet"] !== true && parsed.flags["json"] !== true)
    await io.stderr.write(typedAt);
  const lines = new Lines(io.stdout);
  const scope = { owner: "default", allows: profiledBy(parsed, opened.config) };
  // Which servers are to be started is known once the client has said what it answers.
  using duplex = new Duplex({ gateway, scope, send: (text, isAside) => lines.add(text, isAside) });
  const input = stdin();
  const leave = () => void input.cancel().catch(() => {});
  io.signal.addEventListener("abort", leave, { once: true });
  void lines.left.then(leave);
  void keepProgram(log);
  await read(input, { duplex, lines, lineBytesMax: opened.config.limits.lineBytesMax });
  io.signal.throwIfAborted();
  stopping.abort();
  await settlesWithin(Promise.race([duplex.idle(), lines.left]), graceMs);
  await settlesWithin(lines.written(), graceMs);
  lines.check();
  return 0;
}

function stdin() {
  try {
    return Bun.stdin.stream().getReader();
  } catch (error) {
    throw stdinError(error);
  }
}

/**
 * Gives each line to the client's conversation, until there are no more. One that writes without end leaves all else its
 * turn, and is read no faster than it reads.
 */
async function read(
  input: { read(): Promise<{ value?: Uint8Array | undefined; done: boolean }> },
  {
    duplex,
    lines,
    lineBytesMax,
  }: { duplex: Duplex; lines: Lines; lineBytesMax?: number | undefined },
): Promise<void> {
  const turns = new Turns();
  const splitter = new LineSplitter(lineBytesMax === undefined ? {} : { lineBytesMax });
  const decoder = new TextDecoder();
  const take = (line: ReturnType<LineSplitter["next"]>) => {
    if (line === undefined) return;
    if ("oversize" in line)
      return duplex.refuse(null, -32600, `a message of ${line.oversize.bytes} bytes is too long`);
    const text = decoder.decode(line).trim();
    if (text !== "") duplex.receive(text);
  };
  while (true) {
    const { value, done } = await input.read();
    if (done || value === undefined) return take(splitter.end());
    splitter.push(value);
    let cost = value.length;
    for (let line = splitter.next(); line !== undefined; line = splitter.next()) {
      take(line);
      cost += lineCost;
    }
    await turns.next(cost);
    await lines.room;
  }
}

/** Messages on their way to stdout, a line each, in order. */
class Lines {
  readonly #stdout: Sink;
  readonly #left = Promise.withResolvers<void>();
  #queue: string[] = [];
  #waiting = 0;
  #writing: Promise<void> | undefined;
  #error: unknown;

  constructor(stdout: Sink) {
    this.#stdout = stdout;
  }

  /** Settles when the reader has left. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  /** Settles when less waits to be written than may. */
  get room(): Promise<void> | undefined {
    return this.#waiting > waitingMax ? this.#writing : undefined;
  }

  add(text: string, isAside: boolean): void {
    if (isAside && this.#waiting > waitingMax) return;
    // A result keeps its bytes, but for line breaks between its tokens.
    const line = text.includes("\n") ? compact(text) : text;
    this.#queue.push(line);
    this.#waiting += line.length;
    this.#writing ??= this.#write();
  }

  async written(): Promise<void> {
    await this.#writing;
  }

  /** @throws HostError `output` where something could not be written, though its reader is there */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  async #write(): Promise<void> {
    // What comes in one turn of the event loop goes out together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const text = `${this.#queue.join("\n")}\n`;
      this.#queue = [];
      this.#waiting = 0;
      try {
        await this.#stdout.write(text);
      } catch (error) {
        this.#error = error;
      }
      if (this.#stdout.closed) this.#left.resolve();
    }
    this.#writing = undefined;
  }
}
