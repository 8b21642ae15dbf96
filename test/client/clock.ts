/** Time that passes when somebody waits for it. */
import type { Clock } from "../../lib/base/clock.ts";

export interface SimulatedClock extends Clock {
  /** Every wait so far, in milliseconds. */
  readonly waits: number[];
}

export function simulatedClock(random = 0.5): SimulatedClock {
  let time = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      await Bun.sleep(0);
      signal?.throwIfAborted();
      time += ms;
    },
    random: () => random,
  };
}
