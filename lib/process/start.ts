/** Starts one process, in a group and session of its own. What becomes of it is for others. */
import type { ChildSpec } from "./child.ts";
import { resolveCommand, startError } from "./command.ts";

export type Process = Bun.Subprocess<"pipe", "pipe", "pipe">;

/** @param marks go into its environment, too. @throws HostError as `spawnChild` */
export function start(spec: ChildSpec, marks: Readonly<Record<string, string>> = {}): Process {
  const { argv, verbatim } = resolveCommand(spec);
  try {
    return Bun.spawn(argv, {
      env: { ...spec.env, ...marks },
      ...(spec.cwd !== undefined && { cwd: spec.cwd }),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      lazy: true, // stdout is read when somebody wants it, so that a fast writer cannot fill our memory
      detached: true,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (cause) {
    throw startError(spec, argv[0] ?? spec.command, cause);
  }
}
