/** The worker that checks schemas which could take long: one request, one reply, both JSON text; then it is terminated. */
import { runSchema } from "./schema-run.ts";
import type { RunRequest } from "./schema-run.ts";

declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<string>) => {
  const reply = runSchema(JSON.parse(event.data) as RunRequest);
  self.postMessage(JSON.stringify(reply), []);
});
