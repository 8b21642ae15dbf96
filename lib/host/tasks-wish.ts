/** Which calls ask to be run as tasks (2025-11-25); a modern server decides that by itself. Pure. */
import type { TaskWish } from "../client/types.ts";
import { taskSupportOf } from "../protocol/tasks.ts";
import type { HostTool } from "./types.ts";

/** How a call asks to be a task: where it must be one, or is to (`asTask`). The others as of the wish. */
export function wishOf(
  tool: HostTool | undefined,
  { detach, asTask, unbounded }: { detach: boolean; asTask: boolean; unbounded: boolean },
  onTask: NonNullable<TaskWish["onTask"]>,
): TaskWish {
  const said = taskSupportOf({ execution: tool?.execution });
  const support = asTask || said === "required" ? said : "forbidden";
  return { support, detach, unbounded, onTask };
}
