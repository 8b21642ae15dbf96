/** Grants of calls, by way of the store: which covers a call, what has changed since it was given, and giving one. */
import { canonicalJson } from "../base/canonical.ts";
import type { JsonObject } from "../base/json.ts";
import type { Call } from "../hooks/call.ts";
import { changesOf, definitionOf, grantFor, hashOf } from "../hooks/grants.ts";
import type { GrantSubject } from "../hooks/grants.ts";
import type { Store } from "../store/store.ts";
import type { Always, Approval, Grant } from "../store/types.ts";
import { serverKey } from "./config-key.ts";
import type { AskedCall } from "./gate-types.ts";
import type { HostTool } from "./types.ts";

/** A call whose tool is listed. */
export type ListedCall = AskedCall & { listed: HostTool };

/** A call as grants see it. */
export function subjectOf({ call, listed, config }: ListedCall, session: string): GrantSubject {
  return {
    tool: call.tool,
    arguments: call.arguments,
    session,
    config: serverKey(config).config,
    definition: hashOf(definitionOf(listed)),
  };
}

/** What allows it for good. @throws HostError `config` */
export async function grantOf(
  store: Store,
  { owner, server }: Call,
  subject: GrantSubject,
): Promise<Grant | undefined> {
  return grantFor(await store.grants.list(owner, server), subject).grant;
}

/** Why a grant does not cover it any more, where there is one that did: at most one line. @throws HostError `config` */
export async function outdatedBy(
  store: Store,
  { owner, server }: Call,
  { subject, listed }: { subject: GrantSubject; listed: HostTool },
): Promise<string[]> {
  const { outdated } = grantFor(await store.grants.list(owner, server), subject);
  if (outdated === undefined) return [];
  const changes = await changesSince(store, outdated.definitions[subject.tool] ?? "", listed);
  return [`it was always allowed, and is another tool since then: ${changes.join(", ")}`];
}

/** How a tool differs from what it was. @param before its hash then @throws HostError `config` */
export async function changesSince(
  store: Store,
  before: string,
  listed: HostTool,
): Promise<readonly string[]> {
  return changesOf(await store.grants.definition(before), definitionOf(listed));
}

interface Giving {
  approval: Approval;
  always: Always;
  /** The tools of its server. */
  all: readonly HostTool[];
  now: number;
}

/** Makes the grant that was given with an approval, and writes that down. @throws HostError `config` */
export async function giveGrant(
  store: Store,
  call: Call,
  { approval, always: { what, forMs }, all, now }: Giving,
): Promise<void> {
  const { owner, server, tool, actor, id } = call;
  const { config, definition, decidedBy: by = "somebody", session } = approval;
  const tools = what === "server" ? all : [];
  const definitions = Object.fromEntries([
    ...tools.map((one) => [one.tool, hashOf(definitionOf(one))]),
    [tool, definition],
  ]) as Record<string, string>;
  const grant = await store.grants.add({
    owner,
    server,
    config,
    definitions,
    grantedBy: by,
    ...(what !== "server" && { tool }),
    ...(what === "arguments" && { arguments: canonicalJson(call.arguments) }),
    ...(what === "session" && { session }),
    ...(forMs !== undefined && { expiresAt: now + forMs }),
  });
  const detail: JsonObject = { grant: grant.id, what, by };
  const event = {
    at: now,
    owner,
    call: id,
    event: "granted",
    server,
    tool,
    actor,
    detail,
  } as const;
  await store.journal.write({ events: [event] });
}
