/** From what is configured to a process, or to why there is none. */
import type { ChildSpec } from "./child.ts";
import { resolveCommand, startError } from "./command.ts";
import { run } from "./run.ts";
import type { Process } from "./run.ts";

/** @param marks go into its environment, too. @throws HostError as `spawnChild` */
export function start(spec: ChildSpec, marks?: Readonly<Record<string, string>>): Process {
  const resolved = resolveCommand(spec);
  try {
    return run(resolved, spec, marks);
  } catch (cause) {
    throw startError(spec, resolved.argv[0] ?? spec.command, cause);
  }
}
