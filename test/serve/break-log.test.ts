/** Servers whose words try to pass for lines of ours in the log. */
import { expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { logTo } from "../../lib/cli/log.ts";
import { showEvents } from "../../lib/cli/serve-show.ts";
import type { Io } from "../../lib/cli/types.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";

const forged = "x\nmcphost: error: all is lost\r\nmcphost: two\rmcphost: three\n";

/** What is written by `write` to a pipe, or to a terminal. */
function written(
  terminal: boolean,
  write: (io: Pick<Io, "stderr" | "terminal">) => void,
): string[] {
  let text = "";
  const io = {
    stderr: { write: async (more: string) => void (text += more) },
    terminal: { stderr: terminal },
  };
  write(io as unknown as Pick<Io, "stderr" | "terminal">);
  return text.split(/[\r\n]/).filter((line) => line !== "");
}

test.each([false, true])(
  "a text of several lines is one entry of the log (a terminal: %p)",
  (terminal) => {
    const lines = written(terminal, (io) => {
      const log = logTo(io, { level: "debug", stderr: true, json: false });
      log({ level: "warn", text: `server "s" refused initialize: ${forged}` });
      log({ level: "error", server: "s", source: "notification", text: forged });
    });
    expect(lines.filter((line) => !line.startsWith(" "))).toEqual([
      'mcphost: warning: server "s" refused initialize: x',
      "[s] error: x",
    ]);
  },
);

test("so is what a person at the terminal is shown", () => {
  const error = new HostError("server_start", forged);
  const lines = written(true, (io) => {
    const host = {
      onEvent(listener: (event: HostEvent) => void) {
        listener({ type: "server_state", server: "s", state: "failed", error } as HostEvent);
        listener({
          type: "call_end",
          server: "s",
          tool: forged,
          status: "completed",
          owner: "default",
          durationMs: 1,
        } as HostEvent);
        return { [Symbol.dispose]() {} };
      },
    };
    showEvents(host as Pick<OpenedHost, "onEvent">, io);
  });
  expect(lines.filter((line) => !line.startsWith(" "))).toEqual(["x", "[s] x"]);
});
