/** `grants`: what may be called without being asked about again, and the end of that (cli.md, Commands). */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { revoke } from "../../host/deciding.ts";
import { openStore } from "../../store/store.ts";
import type { Grant } from "../../store/types.ts";
import { longerId } from "../approval-flags.ts";
import { grantLine } from "../approval-text.ts";
import { configFromFlags } from "../config-flags.ts";
import { cut } from "../fit.ts";
import { commonFlags, storeFlags } from "../flags.ts";
import { tellNone } from "../listing.ts";
import { isUnmade, storePlace } from "../store-place.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "grants",
  description: "What is always allowed, and the end of that",
  example: "mcphost grants revoke 5c01d2ee",
  usage: "[list|revoke ID…]",
  flags: {
    "WORD…": {
      type: "positional",
      description: "list (alone), or revoke with the ids of grants or their beginnings",
    },
    all: { type: "boolean", description: "with revoke: all of them" },
    ...commonFlags,
    ...storeFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  const [verb = "list", ...given] = positionals;
  const revokes = verb === "revoke";
  if (!revokes && (verb !== "list" || given.length > 0))
    throw new HostError(
      "usage",
      `grants knows no ${JSON.stringify(verb === "list" ? given[0] : verb)}`,
      {
        hint: "mcphost grants lists them, mcphost grants revoke ID ends one",
      },
    );
  if ((flags["all"] === true || given.length > 0) !== revokes || (given.length > 0 && flags["all"]))
    throw new HostError("usage", "grants revoke takes ids, or --all", {
      hint: "mcphost grants lists them",
    });
  const config = await configFromFlags(parsed, io);
  const isJson = flags["json"] === true;
  const place = await storePlace(config, io);
  if (!revokes && (await isUnmade(place))) return await list([], parsed, io);
  await using store = await openStore({ ...place, log });
  const grants = await store.grants.list(undefined);
  if (!revokes) return await list(grants, parsed, io);
  const all = grants.map(({ id }) => id);
  const ids =
    given.length === 0 ? all : given.map((id) => longerId(id, all, "mcphost grants lists them"));
  for (const id of ids) await revoke(store, { owner: undefined, id, by: "mcphost grants" });
  const text = ids.map((id) => `revoked ${id.slice(0, 8)}\n`).join("");
  await io.stdout.write(isJson ? `${JSON.stringify(ids)}\n` : text);
  return 0;
}

async function list(grants: readonly Grant[], parsed: Parsed, io: Io): Promise<number> {
  const isJson = parsed.flags["json"] === true;
  if (isJson) await io.stdout.write(`${JSON.stringify(grants)}\n`);
  else if (grants.length === 0) await tellNone("grants", parsed, io);
  const width = io.terminal.stdout ? io.terminal.columns : Infinity;
  for (const grant of isJson ? [] : grants)
    await io.stdout.write(`${cut(grantLine(grant), width)}\n`);
  return 0;
}
