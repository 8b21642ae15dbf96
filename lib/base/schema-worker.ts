/** The worker that checks schemas which could take long: one request, one reply, both JSON text; then it is terminated. */
import { runSchema } from "./schema-run.ts";

declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<string>) => {
  self.postMessage(JSON.stringify(runSchema(event.data)), []);
});
