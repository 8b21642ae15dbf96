/** `mcphost serve` as a program of its own, with a home that marks all that it starts. */
import { chmod } from "node:fs/promises";

import { sourceProgram, type TempDir, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";

export interface Program extends AsyncDisposable {
  url: string;
  port: number;
  pid: number;
  keyFile: string;
  home: TempDir;
  /** Its exit status, once it has ended. */
  exited: Promise<number>;
  stderr: Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts it on any free port and waits for its address. Disposing kills it, and sees that nothing is left.
 * @param within a command that starts it, as another user or within limits
 */
export async function serveProgram(
  args: string[],
  env: Record<string, string> = {},
  within: string[] = [],
): Promise<Program> {
  const home = await tempDir();
  // Another user may work there, too.
  if (within.length > 0) await chmod(home.path, 0o777);
  const proc = Bun.spawn([...within, ...sourceProgram, "serve", "--json", "--port", "0", ...args], {
    cwd: home.path,
    env: {
      PATH: process.env["PATH"],
      HOME: home.path,
      XDG_CONFIG_HOME: home.file("config"),
      XDG_STATE_HOME: home.file("state"),
      XDG_CACHE_HOME: home.file("cache"),
      ...env,
    },
    stdout: "pipe",
    stderr: "pipe",
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  const stderr = proc.stderr.text();
  const { value } = await proc.stdout.getReader().read();
  if (value === undefined) throw new Error(await stderr);
  return {
    ...(JSON.parse(new TextDecoder().decode(value)) as Pick<
      Program,
      "url" | "port" | "pid" | "keyFile"
    >),
    home,
    exited: proc.exited,
    stderr,
    kill: (signal) => proc.kill(signal),
    async [Symbol.asyncDispose]() {
      proc.kill("SIGKILL");
      await proc.exited;
      await nothingLeft(home.path);
      await home[Symbol.asyncDispose]();
    },
  };
}
