/** Where the call path writes down what becomes of calls. Types only. */
import type { Call, Outcome } from "../hooks/call.ts";
import type { AuditEvent } from "../store/types.ts";

/** Writes down calls. One that has nothing to write to has no track for a call. */
export interface Recorder {
  /** The track of a call, the same one each time. */
  of(call: Call): CallTrack | undefined;
  /** From now on each event is written as `change` leaves it. */
  through(change: (event: AuditEvent) => AuditEvent): void;
}

/** What is written of one call, in the order of the methods. */
export interface CallTrack {
  /** It may be made: by nobody's objection (`allowed`), or by somebody's word (`approved`). The first word counts. */
  decided(outcome: "allowed" | "approved", by?: string): void;
  /**
   * Right before it is sent: resolves when that is written down, so that whatever happens to us, it is known that it may
   * have happened. @throws HostError: it must not be sent
   */
  sending(): Promise<void>;
  /** Resolves when its outcome is written down, or cannot be. Never rejects. */
  ended(outcome: Outcome): Promise<void>;
}
