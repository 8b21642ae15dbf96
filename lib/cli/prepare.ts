/**
 * Makes entries of a config ready to start: trust, expansion, questions. What turns out to be secret is noted, so that it
 * is never shown. It starts nothing.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { expandServer } from "../config/expand.ts";
import { ourPaths } from "../config/paths.ts";
import type { Config, StdioServer } from "../config/types.ts";
import type { ExpandContext } from "../config/values.ts";
import type { OpenHostOptions } from "../host/types.ts";
import { listOf } from "./flags.ts";
import type { Io, Parsed } from "./types.ts";

/** The `prepare` of a host. @throws HostError `usage` (a malformed `--input`) */
export function prepareFromFlags(
  { flags }: Parsed,
  io: Io,
  log: Log,
  config: Config,
): OpenHostOptions["prepare"] {
  const { home, state } = ourPaths(io.env);
  const given = inputsOf(listOf(flags["input"]));
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
    inputs: config.inputs,
    ask: (id, input) => inTurn(async () => (await import("./consent.ts")).askInput(io, id, input)),
    readFile: async (path) => (await import("../config/files.ts")).readValue(path),
  };
  return async (server): Promise<StdioServer> => {
    if (server.origin.kind === "found" && flags["trust"] !== true) {
      const { ensureTrusted } = await import("./consent.ts");
      await inTurn(() => ensureTrusted(server, { io, log, folder: state }));
    }
    if (server.kind !== "stdio")
      throw new HostError(
        "config",
        `server "${server.name}" is reached over HTTP, which is not built in yet`,
        {
          facts: { server: server.name },
          hint: "servers that are started by a command work",
        },
      );
    const { server: ready, secrets } = await expandServer(server, context);
    for (const secret of secrets) io.secrets?.add(secret);
    return ready;
  };
}

// --- internal ---

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
