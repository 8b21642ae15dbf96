/** Hosts over plugins alone: their tools run in memory, so that no process is needed. */
import type { LogEntry } from "../../lib/base/log.ts";
import type { Hooks, Plugin } from "../../lib/hooks/plugin.ts";
import { createHost } from "../../lib/host/create.ts";
import type { HostOptions } from "../../lib/host/option-types.ts";
import type { Host } from "../../lib/host/types.ts";

export interface PluggedHost extends Host {
  logged: LogEntry[];
  /** The warnings so far. */
  warnings(): string[];
}

/** Plugins that were started by it are given half a second a hook, and `shop` is a plugin with three tools. */
export async function hostWith(
  plugins: readonly Plugin[],
  options: Partial<HostOptions> = {},
): Promise<PluggedHost> {
  const logged: LogEntry[] = [];
  const host = await createHost({
    servers: {},
    limits: { hookTimeoutMs: 500, approvalTimeoutMs: 500 },
    ...options,
    plugins: [...plugins, shop()],
    log: (entry) => logged.push(entry),
  });
  const warnings = () => logged.filter(({ level }) => level === "warn").map(({ text }) => text);
  return { ...host, logged, warnings };
}

/** A plugin of hooks alone. */
export function hooked(hooks: Hooks, name = "p"): Plugin {
  return { name, hooks };
}

/** What the tools of `shop` were called with, last. */
export const object = { type: "object" };

/** `echo` gives its arguments back, `buy` takes a number, `fail` fails. */
export function shop(): Plugin {
  return {
    name: "shop",
    tools: {
      echo: { description: "Gives back", input: object, run: (args) => args },
      buy: {
        description: "Buys",
        input: {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: true },
        run: ({ n }) => `bought ${String(n)}`,
      },
      fail: {
        description: "Fails",
        input: object,
        run() {
          throw new Error("sold out");
        },
      },
    },
  };
}

/** A promise that never settles. */
export const never: Promise<never> = new Promise(() => {});
