/** A task that a call was left to itself as: what became of it goes through the hooks, as that of any call. */
import type { Log } from "../base/log.ts";
import { tellPlugins } from "../hooks/after.ts";
import type { Call } from "../hooks/call.ts";
import type { PluginRunner } from "../hooks/runner.ts";
import { callView } from "../hooks/view.ts";
import type { HostTask } from "./lasting-types.ts";

/** @param tool whose call it was; undefined: nobody here knows, and plugins are told the empty name */
export function pluggedTask(
  task: HostTask,
  tool: string | undefined,
  plugins: PluginRunner,
  log: Log,
): HostTask {
  return {
    ...task,
    async outcome(options) {
      const outcome = await task.outcome(options);
      const hooks = plugins.hooks("afterCall");
      if (hooks.length === 0) return outcome;
      const call: Call = {
        id: task.taskId,
        owner: "default",
        server: task.server,
        tool: tool ?? "",
        arguments: Object.freeze({}),
        actor: "user",
        annotations: {},
        signal: options?.signal ?? new AbortController().signal,
      };
      const view = callView(call, undefined);
      return await tellPlugins(hooks, { view, outcome, timeoutMs: plugins.hookTimeoutMs, log });
    },
  };
}
