/** Where the call path writes down what becomes of calls. Types only. */
import type { Call } from "../hooks/call.ts";
import type { AuditEvent } from "../store/types.ts";

/** Writes down calls. */
export interface Recorder {
  /** A call was proposed: from now on it has a `track`, where it is written down. */
  begin(call: Call): void;
  /** From now on each event is written as `change` leaves it. */
  through(change: (event: AuditEvent) => AuditEvent): void;
}
