/**
 * What is kept of calls, loaded when something is: a call that nobody asks about, and that is not to be written down, loads
 * nothing of it.
 */
import type { Log } from "../base/log.ts";
import type { Config } from "../config/types.ts";
import type { ApprovalKeeper } from "../host/gate-types.ts";
import type { Recorder } from "../host/record-types.ts";
import type { Records } from "./records.ts";
import type { Io, Parsed } from "./types.ts";

/** What a command is for. */
export interface Use {
  /** For others, and for long: calls are written down unless the config says no, and wait for approval. @default false */
  isLasting?: boolean;
  /** What waits for approval waits on when it ends. @default false */
  survives?: boolean;
  /** Servers may come later: none is needed to begin with. @default false */
  mayBeEmpty?: boolean;
}

export interface DeferredRecords extends AsyncDisposable {
  record: Recorder;
  keeper: ApprovalKeeper;
  load(): Promise<Records>;
}

/** @throws HostError `config`: the store of a command that is for long cannot be used */
export async function deferredRecords(
  { flags }: Parsed,
  config: Config,
  { io, log, isLasting = false, survives = false }: Use & { io: Io; log: Log },
): Promise<DeferredRecords> {
  const { audit: isAudited = isLasting } = config.records;
  const waits = isLasting || flags["wait-approval"] === true;
  let loaded: Records | undefined;
  let loading: Promise<Records> | undefined;
  let change: Parameters<Recorder["through"]>[0] | undefined;
  const open = async () => {
    const { Records } = await import("./records.ts");
    loaded = new Records({ config, io, log, isAudited, waits, survives });
    if (change !== undefined) loaded.recorder.through(change);
    return loaded;
  };
  const load = () => (loading ??= open());
  if (isAudited) await load();
  if (isLasting) await (await load()).begin();
  return {
    record: {
      begin: (call) => loaded?.recorder.begin(call),
      through(given) {
        change = given;
        loaded?.recorder.through(given);
      },
    },
    keeper: { settle: async (asked) => (await load()).keeper.settle(asked) },
    load,
    [Symbol.asyncDispose]: async () => await (await loading)?.[Symbol.asyncDispose](),
  };
}
