/** A process that takes calls to some step and then stays there, to be killed: `URL STEP ID…`, and prints `there`. */
import { silent } from "../../lib/base/log.ts";
import { openStore } from "../../lib/store/store.ts";
import { asked } from "./kit.ts";

const [url = "", step = "", ...ids] = process.argv.slice(2);
const store = await openStore({ url, folder: undefined, log: silent });
const survives = step.startsWith("survives");
for (const id of ids) await store.approvals.ask(asked({ id, survives }));
const after = (name: string) => steps.indexOf(step) >= steps.indexOf(name);
const steps = ["survives-pending", "pending", "approved", "claimed", "sent", "settled"];
for (const id of ids) {
  if (after("approved"))
    await store.approvals.decide("default", id, { approve: true, arguments: {}, by: "t" });
  if (after("claimed")) await store.approvals.claim(id);
  if (after("sent"))
    await store.journal.write({
      sent: { id, owner: "default", server: "files", tool: "write" },
      events: [{ at: Date.now(), owner: "default", call: id, event: "sent" }],
    });
  if (after("settled")) await store.approvals.settle(id, { state: "completed" });
}
console.log("there");
setInterval(() => {}, 1000);
