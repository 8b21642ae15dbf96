/** Hosts that come and go. A file of its own: it counts the descriptors of its process. */
import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { createHost } from "../../mcphost.ts";
import { bunAlone, root, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";

const fixture = join(root, "test/fixtures/break/hostile.ts");

test("30 hosts, disposed at any moment of their start, leave no process, no descriptor, no open promise", async () => {
  await using home = await tempDir();
  const [command = "", ...args] = [...bunAlone, fixture, "plain"];
  const env = { PATH: process.env["PATH"], HOME: home.path };
  const cycle = async (ms: number) => {
    const host = await createHost({ servers: { h: { command, args } }, env });
    const call = host.call({ tool: "t", arguments: {} });
    const listing = host.tools().catch((error: unknown) => error);
    await Bun.sleep(ms);
    await host[Symbol.asyncDispose]();
    await listing;
    expect(["completed", "cancelled"]).toContain((await call).status);
    expect((await host.call({ tool: "t" })).status).toBe("cancelled");
  };
  await cycle(0);
  const before = await descriptors();
  for (let index = 0; index < 30; index += 1) await cycle(index * 4);
  await nothingLeft(home.path);
  // Those of the last one may be closed a moment after its processes are gone.
  let now = before;
  await waitFor(
    async () => (now = await descriptors()) <= before + 1,
    () => `no more than ${before + 1} descriptors: there are ${now}`,
  );
});

// --- internal ---

/** Open ones of this process; 0 where the system does not tell. */
async function descriptors(): Promise<number> {
  return (await readdir("/proc/self/fd").catch(() => [])).length;
}
