/** A process that tries to run every approved call there is: `URL ID…`. Prints those that it won, as JSON. */
import { silent } from "../../lib/base/log.ts";
import { openStore } from "../../lib/store/store.ts";

const [url = "", hosts = "1", ...ids] = process.argv.slice(2);
const won: string[] = [];
const run = async () => {
  await using store = await openStore({ url, folder: undefined, log: silent, waitMs: 60_000 });
  for (const id of ids.toSorted(() => Math.random() - 0.5)) {
    if (!(await store.approvals.claim(id))) continue;
    won.push(id);
    await store.approvals.settle(id, { state: "completed" });
  }
};
await Promise.all(Array.from({ length: Number(hosts) }, run));
console.log(JSON.stringify(won));
