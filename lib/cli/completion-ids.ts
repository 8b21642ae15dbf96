/** Ids as words to complete: of tasks that calls left, of calls that wait or are uncertain, of grants. Where there is no store, none is made. */
import { silent } from "../base/log.ts";
import { ourPaths } from "../config/paths.ts";
import { openStore } from "../store/store.ts";
import type { Store } from "../store/store.ts";
import { grantLine } from "./approval-text.ts";
import type { Candidate } from "./completion-types.ts";
import { described } from "./completion-types.ts";
import { configFromFlags } from "./config-flags.ts";
import { isStore, storePlace } from "./store-place.ts";
import { taskStore } from "./task-store.ts";
import type { Io, Parsed } from "./types.ts";

/** @param command the one that takes them */
export async function idsFor(command: string, parsed: Parsed, io: Io): Promise<Candidate[]> {
  if (command === "task") {
    const tasks = await taskStore({ folder: ourPaths(io.env).state, log: silent }).list();
    return tasks.map(({ taskId, tool }) => described({ word: taskId }, tool));
  }
  const place = await storePlace(await configFromFlags(parsed, io), io);
  if (!(await isStore(place))) return [];
  await using store = await openStore({ ...place, log: silent, waitMs });
  if (command !== "grants") return await callsFor(parsed.positionals[0] ?? "", store);
  const grants = await store.grants.list(undefined);
  return grants.map((grant) => {
    const word = short(grant.id);
    return described({ word }, grantLine(grant).slice(word.length));
  });
}

// --- internal ---

/** Whoever pressed a key does not wait for a store that is locked. */
const waitMs = 1000;

/** What the verb of `approvals` can be about. */
async function callsFor(verb: string, store: Store): Promise<Candidate[]> {
  const waiting =
    verb === "acknowledge" ? [] : await store.approvals.list(undefined, ["pending", "approved"]);
  const isDecided = verb === "approve" || verb === "reject";
  const uncertain = isDecided ? [] : await store.uncertainCalls(undefined);
  return [...waiting, ...uncertain].map(({ id, server, tool }) =>
    described({ word: short(id) }, `${server}.${tool}`),
  );
}

/** As the lists show them. */
function short(id: string): string {
  return id.slice(0, 8);
}
