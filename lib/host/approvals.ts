/**
 * Asks about calls by way of the store: a grant answers for good; else the call waits there, and whoever answers first,
 * here, in another terminal, over HTTP or on another machine, decides. Whatever goes wrong refuses the call. It holds no
 * server while it waits.
 */
import { canonicalJson } from "../base/canonical.ts";
import { isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Call } from "../hooks/call.ts";
import { definitionOf, hashOf } from "../hooks/grants.ts";
import type { GrantSubject } from "../hooks/grants.ts";
import type { Store } from "../store/store.ts";
import type { Approval } from "../store/types.ts";
import { askedFor } from "./approval-ask.ts";
import {
  decidedElsewhere,
  refusedBy,
  settledOf,
  storeRefusal,
  toolChanged,
  waitingText,
} from "./approval-words.ts";
import type { Answer, ApprovalKeeper, AskedCall } from "./gate-types.ts";
import { changesSince, giveGrant, grantOf, subjectOf } from "./granting.ts";
import type { StoreRecorder } from "./record.ts";

export interface StoredApprovalsOptions {
  /** Opens it when it is first needed. @throws HostError `config` */
  store: () => Promise<Store>;
  /** Whether there is one by now: else nothing was ever allowed for good. */
  isThere: () => Promise<boolean>;
  recorder: StoreRecorder;
  log: Log;
  /** Of this host: what "always in this session" is bound to. */
  session: string;
  /** It waits for others, too; else only whoever is here is asked. */
  waits: boolean;
  /** Its calls wait on when this process ends. @default false */
  survives?: boolean;
  /** How long a call may wait. */
  timeoutMs: number;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** The wait for whoever is here, and why they refused it otherwise than by a word. */
type Own = { signal: AbortSignal; fault?: unknown };

export class StoredApprovals implements ApprovalKeeper {
  readonly #options: StoredApprovalsOptions;
  /** Looked at again when there is a new grant: it may answer those that wait. */
  readonly #waiting = new Set<() => Promise<void>>();

  constructor(options: StoredApprovalsOptions) {
    this.#options = options;
  }

  async settle(given: AskedCall): Promise<boolean> {
    const { call } = given;
    const { waits, isThere } = this.#options;
    if (!waits && !given.hasHere && !(await isThere())) return false;
    const store = await this.#options.store().catch((error: unknown) => {
      throw storeRefusal(call, error);
    });
    // Where calls are written down only once there is a store to write to, this one is.
    this.#options.recorder.begin(call);
    // What is allowed is a tool as it is described.
    const asked = { ...given, listed: given.listed ?? (await given.anew()).listed };
    const subject = subjectOf(asked, this.#options.session);
    try {
      const grant = await grantOf(store, call, subject);
      if (grant !== undefined && !asked.isKept) {
        this.#options.recorder.follow(call)?.decided("approved", `grant ${grant.id}`);
        return true;
      }
      if (!waits && !asked.hasHere) return false;
      const approval = await askedFor(store, { ...this.#options, asked, subject });
      // What waits already must not be made past its approval: it would be found waiting again.
      if (grant !== undefined) await this.#grantedLater(store, call, subject);
      const word = await this.#answered(store, asked, { approval, subject });
      if (word !== undefined) await this.#run(store, asked, { approval: word, subject });
      return word !== undefined;
    } catch (error) {
      // What the store says of itself is the reason of a refusal here.
      throw isHostError(error) && error.code === "config" ? storeRefusal(call, error) : error;
    }
  }

  // --- internal ---

  /** What somebody answered; undefined where nobody can. @throws HostError `denied`; why the call was given up */
  async #answered(
    store: Store,
    asked: AskedCall,
    { approval, subject }: { approval: Approval; subject: GrantSubject },
  ): Promise<Approval | undefined> {
    const { call, onWaiting } = asked;
    const { waits, timeoutMs, log } = this.#options;
    const scope = new AbortController();
    const own: Own = { signal: AbortSignal.any([call.signal, scope.signal]) };
    const again = () => this.#grantedLater(store, call, subject);
    this.#waiting.add(again);
    if (waits) log({ level: "warn", server: call.server, text: waitingText(call) });
    onWaiting?.();
    try {
      const here = this.#here(store, asked, own);
      const there = store.decision(approval.id, own.signal);
      // Nobody here: then others decide, where they may.
      const first = await Promise.race([
        there,
        here.then((word) => word ?? (waits ? there : "nobody")),
      ]);
      if (first === "nobody") {
        await store.approvals.cancel(approval.id, "nobody could be asked");
        return undefined;
      }
      scope.abort(decidedElsewhere(call, first, timeoutMs));
      // It may be heard of from the store before it is thrown here.
      if (first?.state !== "approved") throw own.fault ?? refusedBy(call, first, timeoutMs);
      return first;
    } catch (error) {
      await this.#givenUp(store, call, error);
      throw error;
    } finally {
      this.#waiting.delete(again);
      scope.abort();
    }
  }

  /** Whoever is here has answered, as the store has it: another may have been faster. */
  async #here(store: Store, asked: AskedCall, own: Own): Promise<Approval | undefined> {
    const { call } = asked;
    let answer: Answer | undefined;
    try {
      answer = await asked.here(own.signal);
    } catch (error) {
      // A plugin at fault, or a rule that its arguments meet: whoever waits elsewhere hears it, too.
      if (isHostError(error) && error.code === "denied" && !own.signal.aborted) {
        own.fault = error;
        const reason = error.message;
        await store.approvals.decide(undefined, call.id, { approve: false, reason, by: "here" });
      }
      throw error;
    }
    if (answer === undefined) return undefined;
    const { by } = answer;
    const decision =
      "reject" in answer
        ? { approve: false as const, reason: answer.reject, by }
        : { approve: true as const, arguments: call.arguments, always: answer.always, by };
    return (await store.approvals.decide(undefined, call.id, decision))?.approval;
  }

  /** A call that is given up waits no longer, unless it is only our process that ends. */
  async #givenUp(store: Store, { id, signal }: Call, error: unknown): Promise<void> {
    const isOurs = isHostError(error) && error.facts["stopping"] === true;
    if (!signal.aborted || (isOurs && this.#options.survives === true)) return;
    await store.approvals.cancel(id, "it was given up").catch(() => undefined);
  }

  /** A grant that was given meanwhile answers it as it was asked: whoever is here may be changing it. */
  async #grantedLater(store: Store, call: Call, subject: GrantSubject): Promise<void> {
    const grant = await grantOf(store, call, subject);
    if (grant === undefined) return;
    const word = { arguments: subject.arguments, by: `grant ${grant.id}` };
    await store.approvals.decide(undefined, call.id, { approve: true, ...word });
  }

  /** It was approved: with these arguments, if they still do, and if the tool is still what it was. @throws HostError */
  async #run(
    store: Store,
    asked: AskedCall,
    { approval, subject }: { approval: Approval; subject: GrantSubject },
  ): Promise<void> {
    const { call } = asked;
    const { id, effective = call.arguments, decidedBy = "somebody", always } = approval;
    try {
      // First, so that the rules of now are held against what will be sent.
      if (canonicalJson(effective) !== canonicalJson(call.arguments)) await asked.revise(effective);
      const { listed, all } = await asked.anew();
      if (hashOf(definitionOf(listed)) !== subject.definition)
        throw toolChanged(call, await changesSince(store, subject.definition, listed));
      if (always !== undefined) {
        await giveGrant(store, call, { approval, always, all, now: this.#options.now() });
        for (const again of this.#waiting) again().catch(() => undefined);
      }
    } catch (error) {
      const text = isHostError(error) ? error.message : String(error);
      await store.approvals.cancel(id, text).catch(() => undefined);
      throw error;
    }
    if (!(await store.approvals.claim(id)))
      throw refusedBy(call, await store.approvals.get(undefined, id), this.#options.timeoutMs);
    const track = this.#options.recorder.follow(call);
    track?.decided("approved", decidedBy);
    track?.claimed((outcome) => store.approvals.settle(id, settledOf(outcome)));
  }
}
