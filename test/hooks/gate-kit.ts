/** Calls of one tool past hooks, and what became of them. */
import type { PolicyRule } from "../../lib/config/types.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { hooked, hostWith } from "./kit.ts";

/** How a call ended: its status with its message, or with the text that it gave. */
export function said(outcome: Outcome): unknown {
  if (outcome.error !== undefined) return `${outcome.status}: ${outcome.error.message}`;
  const { content } = outcome.result as { content?: { text?: string }[] };
  return `${outcome.status}: ${content?.[0]?.text}`;
}

/** What becomes of a call of `buy`, past plugins of these hooks and these rules. */
export async function called(
  hooks: Hooks | Hooks[],
  request: object = {},
  policy: PolicyRule[] = [],
): Promise<unknown> {
  const plugins = [hooks].flat().map((each, at) => hooked(each, `p${at}`));
  await using host = await hostWith(plugins, { policy });
  return said(await host.call({ tool: "buy", arguments: { n: 1 }, ...request }));
}

/** The rule that asks about `buy`. */
export const asking: PolicyRule[] = [{ do: "ask", tools: "buy", reason: "it costs" }];

/** An object that throws when it is asked anything of this kind. */
export const unreadable = (trap: "has" | "ownKeys"): never =>
  new Proxy(
    {},
    {
      [trap]() {
        throw new Error(trap);
      },
    },
  ) as never;

/** Whoever awaits it waits for ever. */
// oxlint-disable-next-line unicorn/no-thenable
export const pending = Object.assign(() => {}, { then() {} });
