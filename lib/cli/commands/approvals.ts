/**
 * `approvals`: the calls that wait for approval, in whatever process, and those of which nobody knows what became; and the
 * words that decide about them (cli.md, Commands). It calls nothing: whoever waits does.
 */
import { HostError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { nearest } from "../../base/nearest.ts";
import { acknowledge, approve, reject } from "../../host/deciding.ts";
import { openStore } from "../../store/store.ts";
import type { Store } from "../../store/store.ts";
import type { Approval, ApprovalState, JournalEntry } from "../../store/types.ts";
import { alwaysFlags, alwaysOf, argumentsOf, longerId } from "../approval-flags.ts";
import { approvalJson, approvalLine, approvalText, uncertainLine } from "../approval-text.ts";
import { configFromFlags } from "../config-flags.ts";
import { cut } from "../fit.ts";
import { commonFlags, storeFlags } from "../flags.ts";
import { tellNone } from "../listing.ts";
import { isUnmade, storePlace } from "../store-place.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "approvals",
  description: "Calls that wait for approval, and those of which nobody knows what became",
  example: "mcphost approvals approve 3f2a91bc --always arguments --for 8h",
  usage: "[show|approve|reject|acknowledge ID [REASON…]]",
  flags: {
    "WORD…": {
      type: "positional",
      description:
        "list (alone), or show, approve, reject or acknowledge with the ID of a call or its beginning; reject and acknowledge take a reason behind it",
    },
    all: { type: "boolean", description: "list what is decided or over, too" },
    ...alwaysFlags,
    ...commonFlags,
    ...storeFlags,
  },
  run,
};

export default command;

// --- internal ---

const waiting: readonly ApprovalState[] = ["pending", "approved", "running"];
const over: readonly ApprovalState[] = [
  "completed",
  "failed",
  "rejected",
  "expired",
  "cancelled",
  "uncertain",
];

const verbs = ["list", "show", "approve", "reject", "acknowledge"];

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  const [verb = "list", given, ...words] = positionals;
  check(verb, given, parsed);
  const decision = { arguments: argumentsOf(flags), always: alwaysOf(flags) };
  const config = await configFromFlags(parsed, io);
  const place = await storePlace(config, io);
  if (given === undefined && (await isUnmade(place))) return await list(nothing, parsed, io);
  await using store = await openStore({ ...place, log });
  if (given === undefined) return await list(store, parsed, io);
  const id = await idOf(verb, given, store);
  const told = { owner: undefined, id, by: "mcphost approvals" };
  const reason = words.join(" ");
  if (verb === "acknowledge") {
    await acknowledge(store, told, reason === "" ? "acknowledged" : `acknowledged: ${reason}`);
    return await tell(`acknowledged ${told.id}`, { id: told.id }, parsed, io);
  }
  if (verb === "show") return await show(store, told.id, parsed, io);
  const approval =
    verb === "approve" ? await approve(store, told, decision) : await reject(store, told, reason);
  return await tell(
    `${approval.state} ${approvalLine(approval)}`,
    approvalJson(approval),
    parsed,
    io,
  );
}

/** The call that is meant, if it is one that a verb is for. @throws HostError `usage` */
async function idOf(verb: string, given: string, store: Store): Promise<string> {
  // Each list has its bound: what is over must not push out what waits.
  const lists = await Promise.all(
    [waiting, over].map((states) => store.approvals.list(undefined, states)),
  );
  const approvals = lists.flat();
  const uncertain = await store.uncertainCalls(undefined);
  const [wanted, others] = verb === "acknowledge" ? [uncertain, approvals] : [approvals, uncertain];
  const meant = wanted.some(({ id }) => id.startsWith(given)) ? wanted : others;
  let hint = "mcphost approvals --all lists them";
  const id = longerId(
    given,
    meant.map((one) => one.id),
    hint,
  );
  const other = meant === wanted ? undefined : others.find((one) => one.id === id);
  if (other === undefined) return id;
  const what = `${other.tool} of server "${other.server}" is ${other.state}`;
  const { reason = "" } = "reason" in other ? other : {};
  const why = reason === "" ? "" : ` (${reason})`;
  const text =
    verb === "acknowledge"
      ? `${what}${why}: only a call that is uncertain is acknowledged`
      : `${what}: it waits for nobody, and can only be acknowledged`;
  if (verb !== "acknowledge")
    hint = `find out whether it was done; mcphost approvals acknowledge ${id.slice(0, 8)} takes it off the list`;
  throw new HostError("usage", text, { hint });
}

/** @throws HostError `usage` */
function check(verb: string, id: string | undefined, { flags, positionals }: Parsed): void {
  const hint = "mcphost approvals --help shows how it is used";
  const all = `it knows ${verbs.join(", ")}`;
  if (!verbs.includes(verb))
    throw new HostError("usage", `approvals knows no ${JSON.stringify(verb)}`, {
      hint: [...nearest(verb, verbs, 1).map((near) => `did you mean ${near}?`), all].join(" "),
    });
  if ((verb === "list") !== (id === undefined))
    throw new HostError("usage", `approvals ${verb} takes ${id ? "no ID" : "the ID of a call"}`, {
      hint,
    });
  const decides = ["args", "always", "for"].find((name) => flags[name] !== undefined);
  if (decides !== undefined && verb !== "approve")
    throw new HostError("usage", `--${decides} belongs to approvals approve`, { hint });
  if (positionals.length > 2 && (verb === "show" || verb === "approve"))
    throw new HostError("usage", `approvals ${verb} takes one ID`, { hint });
}

/** What is in a store that nobody has made yet. */
const nothing: Listed = {
  approvals: { list: async () => [] },
  uncertainCalls: async () => [],
};

type Listed = Pick<Store, "uncertainCalls"> & { approvals: Pick<Store["approvals"], "list"> };

async function list(store: Listed, parsed: Parsed, io: Io): Promise<number> {
  const { flags } = parsed;
  const states = flags["all"] === true ? [...waiting, ...over] : waiting;
  const approvals = await store.approvals.list(undefined, states);
  const uncertain = await store.uncertainCalls(undefined);
  if (flags["json"] === true) {
    const rows = [...approvals.map(approvalJson), ...notListed(uncertain, approvals)];
    await io.stdout.write(`${JSON.stringify(rows)}\n`);
    return 0;
  }
  if (approvals.length + uncertain.length === 0) await tellNone("calls that wait", parsed, io);
  const width = io.terminal.stdout ? io.terminal.columns : Infinity;
  const lines = [
    ...approvals.map((approval) => `${approval.state.padEnd(9)} ${approvalLine(approval)}`),
    ...notListed(uncertain, approvals).map((entry) => `uncertain ${uncertainLine(entry)}`),
  ];
  await io.stdout.write(lines.map((line) => `${cut(line, width)}\n`).join(""));
  return 0;
}

/** What is uncertain and is not among the approvals that are shown. */
function notListed(
  uncertain: readonly JournalEntry[],
  approvals: readonly Approval[],
): JournalEntry[] {
  const shown = new Set(approvals.map(({ id }) => id));
  return uncertain.filter(({ id }) => !shown.has(id));
}

async function show(store: Store, id: string, parsed: Parsed, io: Io): Promise<number> {
  const approval = await store.approvals.get(undefined, id);
  if (approval === undefined) throw new HostError("usage", `there is no call ${id}`);
  const definition = await store.grants.definition(approval.definition);
  const json = { ...approvalJson(approval), ...(definition && { toolDefinition: definition }) };
  const text = approvalText(approval, definition);
  await io.stdout.write(parsed.flags["json"] === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
  return 0;
}

async function tell(text: string, json: object, { flags }: Parsed, io: Io): Promise<number> {
  await io.stdout.write(flags["json"] === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
  return 0;
}
