/** `log`: the audit log of the store, filtered, and followed with `-f` (cli.md, Commands). It changes nothing. */
import { sleep } from "../../base/async.ts";
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Config } from "../../config/types.ts";
import { openStore } from "../../store/store.ts";
import type { Store } from "../../store/store.ts";
import type { AuditRow } from "../../store/types.ts";
import { filterOf } from "../audit-filter.ts";
import type { Wanted } from "../audit-filter.ts";
import { auditLine, auditText } from "../audit-line.ts";
import { configFromFlags } from "../config-flags.ts";
import { cut } from "../fit.ts";
import { commonFlags, storeFlags, textOf } from "../flags.ts";
import { tellNone } from "../listing.ts";
import { isUnmade, storePlace } from "../store-place.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "log",
  description:
    'The audit log: what was called, by whom, and what came of it (of one-shot calls those that are asked about, with "audit": true all)',
  example: "mcphost log --since 2h --outcome denied",
  usage: "[-f]",
  isEndless: true,
  flags: {
    follow: { type: "boolean", alias: ["f"], description: "go on with what happens from now on" },
    lines: {
      type: "string",
      alias: ["n"],
      valueHint: "N",
      description: "the last N events (50), or all",
    },
    since: {
      type: "string",
      valueHint: "TIME",
      description: "from then on: a date (2026-11-30T08:00) or how long ago (2h, 30m)",
    },
    until: { type: "string", valueHint: "TIME", description: "before then" },
    server: { type: "string", valueHint: "SERVER", description: "of this server" },
    tool: { type: "string", valueHint: "GLOB", description: "of these tools" },
    actor: {
      type: "string",
      valueHint: "ACTOR",
      description: "asked for by user, script, model or gateway",
    },
    owner: { type: "string", valueHint: "NAME", description: "of the owner of this token" },
    outcome: {
      type: "string",
      valueHint: "OUTCOME",
      description: "allowed, approved, denied, completed, failed, cancelled, uncertain, …",
    },
    event: {
      type: "string",
      valueHint: "EVENT",
      description: "proposed, decided, sent, answered, failed, granted, revoked, …",
    },
    call: { type: "string", valueHint: "ID", description: "of this call: its id or its beginning" },
    ...commonFlags,
    ...storeFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  if (positionals.length > 0)
    throw new HostError("usage", `log takes no ${JSON.stringify(positionals[0])}`, {
      hint: "mcphost log --help shows its filters",
    });
  const lines = countOf(textOf(flags["lines"]));
  const { filter, matches } = filterOf(flags);
  const config = await configFromFlags(parsed, io);
  const place = await storePlace(config, io);
  if (flags["follow"] !== true && (await isUnmade(place))) {
    await tellNothing(config, parsed, io);
    return 0;
  }
  await using store = await openStore({ ...place, log });
  const shown = await last(store, { filter, matches, lines });
  for (const row of shown) await print(row, parsed, io);
  if (shown.length === 0) await tellNothing(config, parsed, io);
  if (flags["follow"] !== true) return 0;
  const newest = await store.auditRows({}, { before: Number.MAX_SAFE_INTEGER, limit: 1 });
  await follow(store, { filter, matches, after: newest[0]?.seq ?? 0 }, parsed, io);
  return 0;
}

/** An empty log surprises who has made calls. */
async function tellNothing({ records }: Config, parsed: Parsed, io: Io): Promise<void> {
  const hint =
    'serve and gateway write theirs down; one-shot calls that nobody is asked about only with "audit": true in a config';
  await tellNone("such events", parsed, io, records.audit === true ? undefined : hint);
}

async function last(
  store: Store,
  { filter, matches, lines }: Wanted & { lines: number },
): Promise<AuditRow[]> {
  const found: AuditRow[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; found.length < lines;) {
    const limit = Math.min(pageMax, Math.max(lines, 100));
    const rows = await store.auditRows(filter, { before, limit });
    found.unshift(...rows.filter(matches));
    if (rows.length < limit) break;
    before = rows[0]?.seq ?? 0;
  }
  return lines === Infinity ? found : found.slice(-lines);
}

async function follow(
  store: Store,
  { filter, matches, after: first }: Wanted & { after: number },
  parsed: Parsed,
  io: Io,
): Promise<void> {
  const { until: _, ...onward } = filter;
  for (let after = first; !io.stdout.closed;) {
    const rows = await store.auditRows(onward, { after, limit: pageMax });
    for (const row of rows) if (matches(row)) await print(row, parsed, io);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < pageMax) await sleep(followMs, io.signal);
  }
}

async function print(row: AuditRow, { flags }: Parsed, io: Io): Promise<void> {
  const { seq: _, ...event } = row;
  const { stdout, columns } = io.terminal;
  const text = flags["json"] === true ? auditLine(event) : auditText(event);
  await io.stdout.write(`${stdout && flags["json"] !== true ? cut(text, columns) : text}\n`);
}

/** @throws HostError `usage` */
function countOf(text: string | undefined): number {
  if (text === undefined) return linesDefault;
  if (text === "all") return Infinity;
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new HostError("usage", `--lines ${text} is neither a number, from 1 on, nor all`);
}

const linesDefault = 50;
const pageMax = 1000;
const followMs = 250;
