/** Progress of a call: a bar on a terminal, or JSON lines for a program. Pure but for the clock of the bar. */
import { withDigits } from "../base/json.ts";
import type { Progress } from "../protocol/mcp.ts";
import { writeEvent } from "./log.ts";
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

export interface Meter {
  /** Takes one notification. */
  update(progress: Progress): void;
  /** Takes the bar away. */
  end(): void;
}

/** How progress is shown here, or undefined where it is not. */
export function meter(
  io: Pick<Io, "stderr" | "status" | "terminal">,
  options: { label: string; events: boolean },
): Meter | undefined {
  if (options.events) {
    return {
      update(progress) {
        const { _meta: _, ...step } = withDigits(progress);
        writeEvent(io, { event: "progress", ...step });
      },
      end() {},
    };
  }
  const { status } = io;
  if (status === undefined) return undefined;
  let drawnAt = -Infinity;
  return {
    update(progress) {
      const now = performance.now();
      if (now - drawnAt < redrawMs && progress.progress !== progress.total) return;
      drawnAt = now;
      status(bar(options.label, progress));
    },
    end: () => status(undefined),
  };
}

/** One line of less than 80 columns. */
export function bar(label: string, { progress, total, message }: Progress): string {
  const name = clip(visible(label), 24);
  const known = total !== undefined && total > 0;
  const part = known ? Math.min(1, Math.max(0, progress / total)) : 0;
  const filled = Math.round(part * cells);
  const gauge = known
    ? ` [${"#".repeat(filled)}${".".repeat(cells - filled)}] ${Math.round(part * 100)}%`
    : progress < 0 && message !== undefined
      ? ""
      : ` ${progress}`;
  const said = message === undefined ? "" : ` ${visible(message.replace(/\s+/g, " "))}`;
  return clip(`${name}${gauge}${said}`, columns);
}

// --- internal ---

const redrawMs = 80;
const cells = 20;
const columns = 78;

function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
