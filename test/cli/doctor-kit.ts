/** Diagnoses of servers, and what they found. */
import { join } from "node:path";

import { type Facts, HostError } from "../../lib/base/errors.ts";
import type { Examination } from "../../lib/cli/doctor-types.ts";
import { diagnose } from "../../lib/cli/doctor.ts";
import { mcphost } from "../harness.ts";

/** How a server was started. */
export const started = {
  command: "server",
  args: [] as string[],
  path: "/usr/bin/server" as string | undefined,
  searched: "/usr/bin:/bin",
  cwd: "/work",
  cwdExists: true,
  env: ["PATH", "HOME"],
};

/** What was seen of a server that is well. */
export const well: Examination = {
  name: "one",
  started,
  ourEnv: ["PATH", "HOME", "GITHUB_TOKEN"],
  startMs: 100,
  era: "modern",
  revision: "2026-07-28",
  tools: 3,
  stop: { rung: "eof", exit: { exitCode: 0, signal: null } },
  stopMs: 5,
};

/** What was seen of a server that could not be used, with these facts. */
export function failed(facts: Facts, more: Partial<Examination> = {}): Examination {
  const { startMs: _, tools: __, ...rest } = well;
  const error = new HostError("server_start", 'server "one" did not come up', { facts });
  return { ...rest, error, ...more };
}

/** The codes of what is found. */
export function codes(seen: Examination): string[] {
  return diagnose(seen).findings.map(({ code }) => code);
}

/** What was seen of a server that said nothing at all. */
export const silent = failed({ timeoutMs: 60_000 });

/** A server with one of the faults that are named. */
export const faulty = join(import.meta.dir, "../fixtures/servers/faulty.ts");

/** The doctor on a server with that fault. */
export function doctor(...fault: string[]) {
  return mcphost("doctor", "--json", "--", process.execPath, faulty, ...fault);
}
