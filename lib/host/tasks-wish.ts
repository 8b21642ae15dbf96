/** Which calls ask to be run as tasks (2025-11-25); a modern server decides that by itself. Pure. */
import type { TaskWish } from "../client/types.ts";
import { taskSupportOf } from "../protocol/tasks.ts";
import type { HostTool } from "./types.ts";

/** How a call asks to be a task; undefined: it does not. */
export function wishOf(
  tool: HostTool | undefined,
  detach: boolean,
  onTask: NonNullable<TaskWish["onTask"]>,
): TaskWish | undefined {
  const support = taskSupportOf({ execution: tool?.execution });
  return detach || support === "required" ? { support, detach, onTask } : undefined;
}
