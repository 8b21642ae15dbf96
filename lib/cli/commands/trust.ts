/**
 * `trust`: what was found here and may not start yet. It shows each entry whole, asks, and remembers the answer; it
 * starts nothing.
 */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { folderOf, ourPaths } from "../../config/paths.ts";
import { type TrustRecord, type TrustStore, trustStore } from "../../config/trust.ts";
import { questions } from "../ask.ts";
import { shown } from "../fit.ts";
import { commonFlags } from "../flags.ts";
import { foundHere, type TrustEntry } from "../trust-entries.ts";
import type { Command, Io, Parsed } from "../types.ts";
import { visible } from "../visible.ts";

const command: Command = {
  name: "trust",
  description: "Show what was found here and may not start yet, and ask about it",
  example: "mcphost trust",
  usage: "[SERVER…]",
  flags: {
    "SERVER…": { type: "positional", description: "only these of what waits here" },
    yes: { type: "boolean", alias: ["y"], description: "trust what is shown without asking" },
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
  const isWhole = flags["list"] === true || revoked !== undefined;
  if ((positionals.length > 0 && isWhole) || asked.filter(Boolean).length > 1)
    throw new HostError("usage", "trust takes one of [SERVER…] --yes, --list and --revoke SERVER", {
      hint: "mcphost trust alone shows what waits, and asks",
    });
  const store = trustStore({ folder: ourPaths(io.env).state, log });
  const json = flags["json"] === true;
  if (typeof revoked === "string") return await revoke(revoked, store, json, io);
  const { waiting: all, known } = await foundHere(store, io);
  if (flags["list"] === true) return await list(all, store, json, io);
  const waiting = positionals.length === 0 ? all : await named(positionals, all, known);
  if (waiting.length === 0) {
    const text =
      positionals.length === 0
        ? "nothing here waits for trust\n"
        : positionals.map((name) => `${name} does not wait for trust\n`).join("");
    await io.stdout.write(json ? "[]\n" : shown(text, io));
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

/** Those of the waiting that are named. @throws HostError `usage` for a name that no server here has */
async function named(
  names: readonly string[],
  waiting: readonly TrustEntry[],
  known: readonly string[],
): Promise<TrustEntry[]> {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const { unknownServer } = await import("../../host/unknown.ts");
    throw unknownServer(unknown, known);
  }
  return waiting.filter(({ name }) => names.includes(name));
}

/** @throws HostError `denied` where nobody can be asked */
async function chosenOf(waiting: readonly TrustEntry[], io: Io): Promise<TrustEntry[]> {
  const ask = questions(io);
  if (ask === undefined) {
    for (const server of waiting) await show(server, io);
    const names = waiting.map(({ name }) => name);
    throw new HostError("denied", `not trusted: ${names.join(", ")}, and nobody is there to ask`, {
      facts: { servers: names },
      hint: "with --yes it trusts all that is shown; in a terminal mcphost trust asks for each",
    });
  }
  const chosen: TrustEntry[] = [];
  for (const entry of waiting)
    if (await ask.confirm(`${entry.words}\n  It ${entry.power}.\n  Trust it?`)) chosen.push(entry);
  return chosen;
}

/** Whole, and with nothing in it that could hide a part of it. */
async function show({ words }: TrustEntry, io: Io): Promise<void> {
  await io.stderr.write(`${visible(words)}\n`);
}

async function list(
  waiting: readonly TrustEntry[],
  store: TrustStore,
  json: boolean,
  io: Io,
): Promise<number> {
  const trusted = await store.list();
  /** What an entry that waits was trusted as: since then it changed. */
  const before = ({ name, origin }: TrustEntry) =>
    trusted.find((one) => one.name === name && one.folder === folderOf(origin.file ?? ""));
  const changed = waiting.map(before);
  const kept = trusted.filter((record) => !changed.includes(record));
  const rows = [
    ...kept.map(({ name, folder, at }) => ({ state: "trusted", name, folder, at })),
    ...waiting.map(({ name, origin: { file } }, index) => {
      const old = changed[index];
      return { state: "waiting", name, file, ...(old && { changed: true, trustedAt: old.at }) };
    }),
  ];
  if (json) await io.stdout.write(`${JSON.stringify(rows)}\n`);
  else {
    const lines = [
      ...kept.map((record) => `trusted ${recordWords(record)}, since ${day(record)}\n`),
      ...waiting.map(({ name, origin }, index) => {
        const old = changed[index];
        const why = old === undefined ? "" : `, changed since it was trusted on ${day(old)}`;
        return `waiting ${name} in ${origin.file}${why}\n`;
      }),
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

function day({ at }: TrustRecord): string {
  return at.slice(0, 10);
}
