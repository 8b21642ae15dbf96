/** Servers whose calls are written down, and the audit log as it is read again. */
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, type TempDir } from "../harness.ts";
import { tools } from "../host/kit.ts";

/** The fixture of the host's tests. */
export const program = join(root, "test/fixtures/host/server.ts");

/** The tools that it has. */
export const plan = JSON.stringify({ tools: tools("echo", "silent", "wait", "die") });

/** The words that name it. */
export const server = ["--", ...bunAlone, program, plan];

/** The words that turn the log on. */
export const audited = ["--config-json", '{"audit":true}'];

/** An event as `log --json` shows it. */
export interface Event {
  call: string;
  event: string;
  outcome?: string;
  owner: string;
  detail?: Record<string, unknown>;
}

/** The events that are written down there. */
export async function eventsIn(home: TempDir, ...flags: string[]): Promise<Event[]> {
  const run = await mcphost("log", "--json", "-n", "all", ...flags)
    .home(home.path)
    .run();
  expectRun(run, { stdout: /^/ });
  return run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}

/** Each event with its outcome. */
export const shortOf = (events: Event[]) =>
  events.map(({ event, outcome }) => `${event} ${outcome ?? ""}`.trim());
