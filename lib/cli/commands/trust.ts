/**
 * `trust`: what was found here and may not start yet. It shows each entry whole, asks, and remembers the answer; it
 * starts nothing.
 */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { ourPaths } from "../../config/paths.ts";
import { needsTrust, type TrustRecord, type TrustStore, trustStore } from "../../config/trust.ts";
import type { ServerConfig } from "../../config/types.ts";
import { questions } from "../ask.ts";
import { entryWords } from "../consent.ts";
import { shown } from "../fit.ts";
import { commonFlags } from "../flags.ts";
import { configFromFlags } from "../open.ts";
import type { Command, Io, Parsed } from "../types.ts";
import { visible } from "../visible.ts";

const command: Command = {
  name: "trust",
  description: "Show what was found here and may not start yet, and ask about it",
  example: "mcphost trust",
  usage: "",
  flags: {
    yes: { type: "boolean", alias: ["y"], description: "trust all of it without asking" },
    list: { type: "boolean", description: "what is trusted, everywhere, and what waits here" },
    revoke: { type: "string", valueHint: "SERVER", description: "trust this server no longer" },
    ...commonFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run({ flags, positionals }: Parsed, io: Io, log: Log): Promise<number> {
  const revoked = flags["revoke"];
  const asked = [flags["yes"] === true, flags["list"] === true, revoked !== undefined];
  if (positionals.length > 0 || asked.filter(Boolean).length > 1)
    throw new HostError("usage", "trust takes one of --yes, --list and --revoke SERVER", {
      hint: "mcphost trust alone shows what waits, and asks",
    });
  const store = trustStore({ folder: ourPaths(io.env).state, log });
  const json = flags["json"] === true;
  if (typeof revoked === "string") return await revoke(revoked, store, json, io);
  const waiting = await waitingHere(store, io);
  if (flags["list"] === true) return await list(waiting, store, json, io);
  if (waiting.length === 0) {
    await io.stdout.write(json ? "[]\n" : "nothing here waits for trust\n");
    return 0;
  }
  const chosen = flags["yes"] === true ? waiting : await chosenOf(waiting, io);
  if (flags["yes"] === true) for (const server of waiting) await show(server, io);
  if (chosen.length > 0 && !(await store.add(chosen)))
    throw new HostError("output", "the trust could not be kept", {
      facts: { folder: ourPaths(io.env).state },
      hint: "mcphost config --paths shows the folder (state); --trust trusts for one run",
    });
  const names = chosen.map(({ name }) => name);
  const lines = names.map((name) => `trusted ${name}\n`).join("");
  await io.stdout.write(json ? `${JSON.stringify(names)}\n` : shown(lines, io));
  return chosen.length === waiting.length ? 0 : 5;
}

/** Entries that were found from here and are not trusted as they stand now. */
async function waitingHere(store: TrustStore, io: Io): Promise<ServerConfig[]> {
  const { servers } = await configFromFlags({ flags: {}, positionals: [], rest: undefined }, io);
  const trusted = await Promise.all(
    servers.map(async (server) => !needsTrust(server) || (await store.isTrusted(server))),
  );
  return servers.filter((_, at) => !trusted[at]);
}

/** @throws HostError `denied` where nobody can be asked */
async function chosenOf(waiting: readonly ServerConfig[], io: Io): Promise<ServerConfig[]> {
  const ask = questions(io);
  if (ask === undefined) {
    for (const server of waiting) await show(server, io);
    const names = waiting.map(({ name }) => name);
    throw new HostError("denied", `not trusted: ${names.join(", ")}, and nobody is there to ask`, {
      facts: { servers: names },
      hint: "mcphost trust --yes trusts all that is shown; in a terminal mcphost trust asks for each",
    });
  }
  const chosen: ServerConfig[] = [];
  for (const server of waiting)
    if (await ask.confirm(`${entryWords(server)}\n  It can run code as you. Trust it?`))
      chosen.push(server);
  return chosen;
}

/** Whole, and with nothing in it that could hide a part of it. */
async function show(server: ServerConfig, io: Io): Promise<void> {
  await io.stderr.write(`${visible(entryWords(server))}\n`);
}

async function list(
  waiting: readonly ServerConfig[],
  store: TrustStore,
  json: boolean,
  io: Io,
): Promise<number> {
  const trusted = await store.list();
  const rows = [
    ...trusted.map(({ name, folder, at }) => ({ state: "trusted", name, folder, at })),
    ...waiting.map(({ name, origin }) => ({ state: "waiting", name, file: origin.file })),
  ];
  if (json) await io.stdout.write(`${JSON.stringify(rows)}\n`);
  else {
    const lines = [
      ...trusted.map(
        (record) => `trusted ${recordWords(record)}, since ${record.at.slice(0, 10)}\n`,
      ),
      ...waiting.map(({ name, origin }) => `waiting ${name} in ${origin.file}\n`),
    ];
    const text = lines.join("") || "nothing is trusted, and nothing here waits for trust\n";
    await io.stdout.write(shown(text, io));
  }
  return 0;
}

async function revoke(name: string, store: TrustStore, json: boolean, io: Io): Promise<number> {
  const all = await store.list();
  const taken = await store.revoke(name);
  if (taken.length === 0) {
    const { didYouMean, nearest } = await import("../../base/nearest.ts");
    const names = nearest(
      name,
      all.map((record) => record.name),
    );
    throw new HostError("usage", `no server called ${JSON.stringify(name)} is trusted`, {
      facts: { nearest: names },
      hint: didYouMean(names) ?? "mcphost trust --list shows all",
    });
  }
  const lines = taken.map((record) => `revoked ${recordWords(record)}\n`).join("");
  await io.stdout.write(json ? `${JSON.stringify(taken)}\n` : shown(lines, io));
  return 0;
}

function recordWords({ name, folder }: TrustRecord): string {
  return `${name} in ${folder}`;
}
