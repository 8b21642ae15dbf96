/** What a command works with: its streams, its terminal, its secrets. What goes to people is redacted here. */
import { stdoutSink } from "./io.ts";
import { Secrets } from "./secrets.ts";
import { statusLine } from "./status.ts";
import type { StderrSink } from "./stderr-sink.ts";
import { stdinReader } from "./stdin-reader.ts";
import { commands } from "./table.ts";
import type { Io, Sink } from "./types.ts";

export type World = Omit<Io, "signal" | "cwd">;

/** Opens it over the real streams; nothing is read or written by that. */
export function openWorld(raw: StderrSink, terminal: Io["terminal"]): World {
  // One that is dumb cannot take a line away again.
  const status =
    terminal.stderr && Bun.env["TERM"] !== "dumb" ? statusLine(raw, terminal) : undefined;
  const secrets = new Secrets();
  return {
    env: Bun.env,
    stdout: status && terminal.stdout ? status.before(stdoutSink()) : stdoutSink(),
    stderr: redacted(status?.sink ?? raw, secrets),
    terminal,
    readStdin: stdinReader(),
    secrets,
    commands,
    ...(status && {
      status: (line) => status.show(line === undefined ? line : secrets.hide(line)),
      hold: status.hold,
    }),
  };
}

// --- internal ---

/** Text is redacted by the secrets known so far; a run that has none pays nothing. */
function redacted(under: Sink, secrets: Secrets): Sink {
  return {
    get closed() {
      return under.closed;
    },
    async write(data) {
      if (secrets.isEmpty || typeof data !== "string") return await under.write(data);
      await under.write(secrets.hide(data));
    },
  };
}
