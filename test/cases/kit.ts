/** What the tests of reported faults share: servers with one fault each, and the ways to reach them. */
import { join } from "node:path";

import { createHost, type Host, type HostOptions, type LogEntry } from "../../mcphost.ts";
import { bunAlone, mcphost, root, type TempDir } from "../harness.ts";
import { living } from "../process/help.ts";

export { textOf } from "../host/kit.ts";

/** The command of a server with a fault (fixtures/cases): `TABLE.NAME`. */
export function faulty(fault: string, ...args: string[]): string[] {
  return [...bunAlone, join(root, "test/fixtures/cases/run.ts"), fault, ...args];
}

/** The same as a config entry. */
export function entry(fault: string, more: Record<string, unknown> = {}, ...args: string[]) {
  const [command = "", ...rest] = faulty(fault, ...args);
  return { command, args: rest, ...more };
}

/** A config given inline, as words of the command line. */
export function config(servers: Record<string, unknown>, more: object = {}): string[] {
  return ["--config-json", JSON.stringify({ mcpServers: servers, ...more })];
}

/** `mcphost call WORDS… -- SERVER`. */
export function call(fault: string, ...words: string[]) {
  return mcphost("call", ...words, "--", ...faulty(fault));
}

/** `mcphost tools WORDS… -- SERVER`. */
export function tools(fault: string, ...words: string[]) {
  return mcphost("tools", ...words, "--", ...faulty(fault));
}

/** A host of the module over such servers, with all that it logs. */
export async function hostOver(
  servers: HostOptions["servers"],
  options: Omit<HostOptions, "servers"> = {},
): Promise<Host & { logged: LogEntry[] }> {
  const logged: LogEntry[] = [];
  const host = await createHost({
    servers,
    env: { PATH: process.env["PATH"] },
    log: (line) => void logged.push(line),
    ...options,
  });
  return { ...host, logged };
}

/** The messages in a file that FIXTURE_SEEN named. */
export async function messagesIn(file: string): Promise<Record<string, any>[]> {
  return (await linesOf(file)).map((line) => JSON.parse(line));
}

/** The lines of a file that may not be there yet. */
export async function linesOf(file: string): Promise<string[]> {
  const text = await Bun.file(file)
    .text()
    .catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** What makes a server leave marks in a file and count its starts in another; and what it left. */
export function marksIn(dir: TempDir) {
  const file = dir.file("marks");
  return {
    flags: ["--env", `FIXTURE_MARKS=${file}`],
    env: { FIXTURE_MARKS: file, FIXTURE_STARTS: dir.file("starts") },
    has: async (word: string) => (await linesOf(file)).some((line) => line.startsWith(word)),
    lines: () => linesOf(file),
    starts: () => linesOf(dir.file("starts")),
  };
}

/** A zombie is not. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await living(pid)).includes(pid);
}
