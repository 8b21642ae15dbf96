/** What the way in which a server ended tells of it. A pure reading, as of `diagnose`. */
import { fault, warning } from "./doctor-types.ts";
import type { Examination, Finding } from "./doctor-types.ts";

/** That it did not end with its stdin, or not well. */
export function stopFindings({ stop, stopMs, error }: Examination): Finding[] {
  const took = stopMs === undefined ? "" : ` (it took ${(stopMs / 1000).toFixed(1)} s)`;
  const end = stop?.exit?.signal ?? `code ${stop?.exit?.exitCode}`;
  const hint =
    "an MCP server over stdio ends when its stdin ends; until then it holds up whoever waits for it";
  switch (stop?.rung) {
    case "term": {
      const text = `it, or what it started, did not end with its stdin: SIGTERM did it${took}`;
      return [warning("needs-term", text, hint)];
    }
    case "kill": {
      const text = `it, or what it started, ignored the end of its stdin and SIGTERM: SIGKILL did it${took}`;
      return [warning("needs-kill", text, hint)];
    }
    case "alive":
      return [fault("alive", "it is still running after SIGKILL", "ps shows what it hangs on")];
    case "exited":
      return error
        ? []
        : [warning("ended-early", `it ended by itself before it was stopped (${end})`)];
    case "eof":
      if (end === "code 0" || error) return [];
      return [
        warning(
          "exit-code",
          `it ended with ${end} although it was only asked to end`,
          "the end of stdin is a clean end: code 0",
        ),
      ];
    default:
      return [];
  }
}
