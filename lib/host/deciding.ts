/**
 * Decisions about calls that wait in the store, by whoever is not here: checked as far as that can be without the server.
 * Whoever waits checks the rest, and runs it.
 */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { silent } from "../base/log.ts";
import type { Store } from "../store/store.ts";
import type { Always, Approval, AuditEvent } from "../store/types.ts";
import { Validator } from "./validate.ts";

/** What somebody decides about. */
export interface Deciding {
  /** Undefined: of everybody, for the person whose store it is. */
  owner: string | undefined;
  /** Of the call. */
  id: string;
  /** Such as `terminal` or `http`. */
  by: string;
}

export interface ApproveOptions {
  /** In place of those that were asked for; validated by the tool's schema as it was then. */
  arguments?: JsonObject | undefined;
  always?: Always | undefined;
}

/**
 * Approves a call that waits. One that was approved before is returned as it is: nothing is run twice.
 * @throws HostError `usage` (no such call, arguments that do not fit), `denied` (it was decided otherwise, or is over),
 * `config` (the store)
 */
export async function approve(
  store: Store,
  { owner, id, by }: Deciding,
  { arguments: args, always }: ApproveOptions = {},
): Promise<Approval> {
  const found = await knownCall(store, owner, id);
  if (args !== undefined) await checkArguments(store, found, args);
  const decision = { approve: true as const, arguments: args ?? found.proposed, always, by };
  const decided = await store.approvals.decide(owner, id, decision);
  const approval = decided?.approval ?? found;
  if (wasApproved.has(approval.state)) return approval;
  throw otherwise(approval);
}

/** Rejects a call that waits. @throws as `approve` */
export async function reject(
  store: Store,
  { owner, id, by }: Deciding,
  reason: string,
): Promise<Approval> {
  const found = await knownCall(store, owner, id);
  const decided = await store.approvals.decide(owner, id, { approve: false, reason, by });
  const approval = decided?.approval ?? found;
  if (approval.state === "rejected") return approval;
  throw otherwise(approval);
}

/** Somebody has looked what became of an uncertain call. @throws HostError `usage`: there is none; `config` */
export async function acknowledge(
  store: Store,
  { owner, id, by }: Deciding,
  reason: string,
): Promise<void> {
  const entry = (await store.uncertainCalls(owner)).find((one) => one.id === id);
  if (entry === undefined || !(await store.acknowledge(owner, { id, reason }))) throw notThere(id);
  await note(store, { ...entry, call: id, event: "acknowledged", detail: { by, reason } });
}

/** Takes a grant away. @throws HostError `usage`: there is none; `config` */
export async function revoke(store: Store, { owner, id, by }: Deciding): Promise<void> {
  const grant = (await store.grants.list(owner)).find((one) => one.id === id);
  if (grant === undefined || !(await store.grants.revoke(owner, id)))
    throw new HostError("usage", `there is no grant ${JSON.stringify(id)}`, {
      hint: "mcphost grants lists them",
    });
  const { owner: whose, server, tool } = grant;
  const about = { owner: whose, server, ...(tool !== undefined && { tool }) };
  await note(store, { ...about, call: id, event: "revoked", detail: { grant: id, by } });
}

// --- internal ---

const wasApproved: ReadonlySet<string> = new Set(["approved", "running", "completed"]);

async function knownCall(store: Store, owner: string | undefined, id: string): Promise<Approval> {
  const found = await store.approvals.get(owner, id);
  if (found === undefined) throw notThere(id);
  return found;
}

async function checkArguments(
  store: Store,
  { server, tool, definition }: Approval,
  args: JsonObject,
): Promise<void> {
  const { inputSchema } = (await store.grants.definition(definition)) ?? {};
  if (inputSchema === undefined) return;
  const listed = { name: tool, server, tool, inputSchema: inputSchema as JsonObject };
  await new Validator(silent).checkArguments(listed, args);
}

async function note(
  store: Store,
  { owner, call, event, server, tool, detail }: Omit<AuditEvent, "at">,
): Promise<void> {
  const about = { owner, call, event, detail, server, tool, at: Date.now() };
  const present = Object.entries(about).filter(([, value]) => value !== undefined);
  await store.journal.write({ events: [Object.fromEntries(present) as unknown as AuditEvent] });
}

function notThere(id: string): HostError {
  return new HostError("usage", `no call ${JSON.stringify(id)} waits for anybody`, {
    facts: { call: id },
    hint: "mcphost approvals lists what waits, and what is uncertain",
  });
}

function otherwise({ id, state, reason, server, tool }: Approval): HostError {
  const why = reason === undefined || reason === "" ? "" : `: ${reason}`;
  return new HostError("denied", `${tool} of server "${server}" is ${state}${why}`, {
    facts: { call: id, server, tool, state },
    hint: `it cannot be decided any more${whatNow[state] ?? ""}`,
  });
}

const again = "; call it again";
const whatNow: Partial<Record<Approval["state"], string>> = {
  rejected: again,
  expired: again,
  cancelled: again,
  uncertain: "; find out whether it was done before you call it again",
};
