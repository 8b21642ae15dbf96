/**
 * Makes entries of a config ready to start: trust, expansion, questions. What turns out to be secret is noted, so that it
 * is never shown. It starts nothing.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { expandServer } from "../config/expand.ts";
import { ourPaths } from "../config/paths.ts";
import type { Config, ServerConfig } from "../config/types.ts";
import type { ExpandContext } from "../config/values.ts";
import type { OpenHostOptions } from "../host/option-types.ts";
import { listOf, textOf } from "./flags.ts";
import type { Io, Parsed } from "./types.ts";

/** The `prepare` of a host. @throws HostError `usage` (a malformed `--input`, or one that nothing asks for) */
export function prepareFromFlags(
  { flags, positionals }: Parsed,
  io: Io,
  log: Log,
  config: Config,
): OpenHostOptions["prepare"] {
  const { home, state } = ourPaths(io.env);
  const given = inputsOf(listOf(flags["input"]));
  if (given.size > 0) checkInputs([...given.keys()], config);
  /** What the person wrote in the arguments of the tool is no secret to them. */
  const typed = [...positionals.slice(1), textOf(flags["args"]) ?? ""].join("\n");
  /** A server may start often. */
  const told = new Set<string>();
  /** Servers start side by side, and people answer one question at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const mine = turn.then(ask, ask);
    turn = mine;
    return mine;
  };
  const context: ExpandContext = {
    env: io.env,
    cwd: io.cwd,
    home,
    given,
    // Others once the config was read again.
    get inputs() {
      return config.inputs;
    },
    ask: (id, input) => inTurn(async () => (await import("./consent.ts")).askInput(io, id, input)),
    readFile: async (path) => (await import("../config/files.ts")).readValue(path),
  };
  return async (server): Promise<ServerConfig> => {
    if (server.origin.kind === "found" && !(flags["trust"] === true && wasThere(server, config))) {
      // The turn is taken before anything is waited for: questions come in the order of the config.
      await inTurn(() => ensureTrusted(server, { io, log, folder: state }));
    }
    const { server: ready, secrets, warnings } = await expandServer(server, context);
    for (const text of warnings) {
      if (told.has(`${server.name}: ${text}`)) continue;
      told.add(`${server.name}: ${text}`);
      log({ level: "warn", server: server.name, text });
    }
    io.secrets?.later(secrets, typed);
    return ready;
  };
}

// --- internal ---

/** Lets a found entry through if it is trusted, or if the person says so now. @throws HostError `denied` */
async function ensureTrusted(
  server: ServerConfig,
  { io, log, folder }: { io: Io; log: Log; folder: string | undefined },
): Promise<void> {
  const { trustStore } = await import("../config/trust.ts");
  const store = trustStore({ folder, log });
  if (await store.isTrusted(server)) return;
  const { askTrust } = await import("./consent.ts");
  await askTrust(server, io, store);
}

/** What somebody trusts is what was there when they said so, and not what a file may hold later. */
function wasThere({ name, origin, written }: ServerConfig, { servers }: Config): boolean {
  return servers.some(
    (one) =>
      one.name === name && one.origin.file === origin.file && Bun.deepEquals(one.written, written),
  );
}

function inputsOf(words: readonly string[]): Map<string, string> {
  const inputs = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals <= 0)
      throw new HostError("usage", "--input is written ID=VALUE", {
        hint: "for a value that others must not see in the process list, set MCPHOST_INPUT_ID",
      });
    inputs.set(word.slice(0, equals), word.slice(equals + 1));
  }
  return inputs;
}

/** An id that no entry names and no config describes is a slip of the hand: a default would be taken without a word. */
function checkInputs(ids: readonly string[], { inputs, servers }: Config): void {
  const known = new Set(Object.keys(inputs));
  for (const { written } of servers)
    for (const [, id] of (JSON.stringify(written) ?? "").matchAll(/\$\{input:([^}"]+)\}/g))
      known.add(id ?? "");
  for (const id of ids) {
    if (known.has(id)) continue;
    const names = [...known].join(", ");
    throw new HostError("usage", `--input ${id}: no config here has an input of that name`, {
      facts: { nearest: nearest(id, known) },
      hint:
        didYouMean(nearest(id, known)) ??
        (names === "" ? "there are no inputs" : `the inputs are ${names}`),
    });
  }
}
