/**
 * When a server that ended may be started again, as a pure policy. A good handshake proves nothing (a server may greet
 * well and die, for ever): only an answered call or a long life makes a server sound again. It reads no clock.
 */

/** How one life of a server ended. */
export interface Life {
  /** From the start of the process to its end. */
  uptimeMs: number;
  /** It answered at least one call (not only the handshake and lists). */
  answered: boolean;
  /** The end in words, such as "exit code 1", for the reason. */
  ended: string;
}

/** What is remembered of a server's past lives. Start with `unspoilt`. */
export interface RespawnState {
  /** Lives in a row that came to nothing. */
  failures: number;
  /** When the last life ended, on the caller's clock, in ms. */
  endedAtMs: number;
  /** How it ended. */
  ended: string;
}

/** `start`: now. `wait`: a call waits so long, within its own time-out. `refuse`: given up; a call fails with the reason. */
export type RespawnVerdict =
  | { do: "start" }
  | { do: "wait"; waitMs: number }
  | { do: "refuse"; reason: string; retryMs: number };

export const unspoilt: RespawnState = { failures: 0, endedAtMs: 0, ended: "" };

/** Remembers the end of a life. `nowMs` is any clock that only goes forward. */
export function lifeEnded(state: RespawnState, life: Life, nowMs: number): RespawnState {
  const isSound = life.answered || life.uptimeMs >= soundMs;
  return { failures: isSound ? 0 : state.failures + 1, endedAtMs: nowMs, ended: life.ended };
}

/**
 * What an explicit call may do now. Pauses grow with each failure and count from the last end, so that a server that
 * died long ago is started at once. After giving up, the next call tries once more; when that fails as well, one call a
 * minute may.
 */
export function mayStart(
  { failures, endedAtMs, ended }: RespawnState,
  nowMs: number,
): RespawnVerdict {
  if (failures === failuresMax) return { do: "start" };
  const leftMs = endedAtMs + pauseMs(failures) - nowMs;
  if (leftMs <= 0) return { do: "start" };
  if (failures < failuresMax) return { do: "wait", waitMs: leftMs };
  const reason = `it ended ${failures} times in a row without answering a call, last with ${ended}`;
  return { do: "refuse", reason, retryMs: leftMs };
}

// --- internal ---

const failuresMax = 5;
const soundMs = 60_000;
const pausesMs = [0, 0, 1000, 2000, 4000];
const givenUpPauseMs = 60_000;

function pauseMs(failures: number): number {
  return pausesMs[failures] ?? givenUpPauseMs;
}
