/** The commands, each imported when it is named. Nothing else happens here. */
import type { CommandTable } from "./types.ts";

/** In the order in which they are listed to people. */
export const commands: CommandTable = {
  call: () => import("./commands/call.ts"),
  tools: () => import("./commands/tools.ts"),
  resources: () => import("./commands/resources.ts"),
  read: () => import("./commands/read.ts"),
  prompts: () => import("./commands/prompts.ts"),
  prompt: () => import("./commands/prompt.ts"),
  subscribe: () => import("./commands/subscribe.ts"),
  task: () => import("./commands/task.ts"),
  serve: () => import("./commands/serve.ts"),
  gateway: () => import("./commands/gateway.ts"),
  servers: () => import("./commands/servers.ts"),
  config: () => import("./commands/config.ts"),
  trust: () => import("./commands/trust.ts"),
  approvals: () => import("./commands/approvals.ts"),
  grants: () => import("./commands/grants.ts"),
  log: () => import("./commands/log.ts"),
  tee: () => import("./commands/tee.ts"),
  doctor: () => import("./commands/doctor.ts"),
  completion: () => import("./commands/completion.ts"),
};

/** The loader of a command, or undefined where there is none of that name. */
export function loaderOf(name: string): CommandTable[string] | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
