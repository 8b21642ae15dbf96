/** Writes a call that is asked about into the store, where everybody finds it who may answer. */
import { definitionOf } from "../hooks/grants.ts";
import type { GrantSubject } from "../hooks/grants.ts";
import type { Store } from "../store/store.ts";
import type { Approval } from "../store/types.ts";
import { refusedBy, toolChanged } from "./approval-words.ts";
import { changesSince, outdatedBy } from "./granting.ts";
import type { ListedCall } from "./granting.ts";
import type { StoreRecorder } from "./record.ts";

export interface AskOptions {
  asked: ListedCall;
  subject: GrantSubject;
  session: string;
  timeoutMs: number;
  survives?: boolean;
  now: () => number;
  recorder: StoreRecorder;
}

/**
 * Writes it down, unless it waits there already: it outlived the process that asked first.
 * @throws HostError `config` (the store), `denied` (the tool is another by now)
 */
export async function askedFor(
  store: Store,
  { asked, subject, session, timeoutMs, survives = false, now, recorder }: AskOptions,
): Promise<Approval> {
  const { call, listed, reasons } = asked;
  const { id, owner, server, tool, actor } = call;
  const known = await store.approvals.get(undefined, id);
  if (known !== undefined) {
    if (known.definition === subject.definition && known.config === subject.config) return known;
    const changes = await changesSince(store, known.definition, listed);
    await store.approvals.cancel(id, toolChanged(call, changes).message);
    throw toolChanged(call, changes);
  }
  const question = [...reasons, ...(await outdatedBy(store, call, { subject, listed }))].join("; ");
  await store.grants.keepDefinition(subject.definition, definitionOf(listed));
  const about = { id, owner, server, tool, actor, session, question, survives };
  await store.approvals.ask({
    ...about,
    proposed: call.arguments,
    definition: subject.definition,
    config: subject.config,
    expiresAt: now() + timeoutMs,
  });
  await recorder.follow(call)?.waits(question);
  const approval = await store.approvals.get(undefined, id);
  if (approval === undefined) throw refusedBy(call, undefined, timeoutMs);
  return approval;
}
