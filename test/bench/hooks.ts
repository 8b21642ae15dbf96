/**
 * What plugins cost a call: a host with ten plugins, each with a sync `beforeCall` and `afterCall`, beside one without, over
 * the same server. Blocks of calls alternate, so that both see the same machine. Prints µs of our own processor time a call;
 * target: 20 more.
 */
import { join } from "node:path";

import type { Plugin } from "../../lib/hooks/plugin.ts";
import { createHost } from "../../lib/host/create.ts";
import { median } from "./measure.ts";

const blocks = 101;
const callsPerBlock = 100;
const targetUs = 20;

const servers = { s: { command: process.execPath, args: [join(import.meta.dir, "server.ts")] } };

const plugins = Array.from({ length: 10 }, (_, at): Plugin => {
  return {
    name: `p${at}`,
    hooks: {
      beforeCall: ({ tool }) => (tool === "none" ? { deny: "no" } : undefined),
      afterCall: (_call, { status }) => (status === "denied" ? { result: "" } : undefined),
    },
  };
});

await using bare = await createHost({ servers, env: process.env });
await using plugged = await createHost({ servers, plugins, env: process.env });

async function block(host: typeof bare): Promise<number> {
  const before = process.cpuUsage();
  for (let left = callsPerBlock; left > 0; left--) {
    const { status } = await host.call({ tool: "echo", arguments: { message: "hello" } });
    if (status !== "completed") throw new Error(status);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / callsPerBlock;
}

for (let warm = 0; warm < 20; warm++) {
  await block(bare);
  await block(plugged);
}
const pairs: [without: number, withPlugins: number][] = [];
for (let at = 0; at < blocks; at++) pairs.push([await block(bare), await block(plugged)]);
const without = median(pairs.map(([us]) => us));
const more = median(pairs.map(([bareUs, us]) => us - bareUs));
console.log(
  `without plugins ${without.toFixed(1)} µs a call, with 10 plugins ${more.toFixed(1)} µs more (target ${targetUs}): ${more <= targetUs ? "met" : "MISSED"}`,
);
