/** A modern server on stdio that makes tasks of calls, with what the conformance suite asks of the tasks extension: the SDKs have none. */
import type { Message } from "../../../lib/protocol/jsonrpc.ts";
import { duplex } from "../../fixtures/remote/duplex.ts";
import { State, WireError } from "../../fixtures/remote/state.ts";
import { define, schema, text } from "../../fixtures/remote/tool-kit.ts";
import type { Context } from "../../fixtures/remote/tool-types.ts";

const form = { type: "object", properties: { confirm: { type: "boolean" } } };
const lasting = { task: "optional" as const };

const tools = [
  define("greet", schema({ name: "string" }, "name"), ({ name }) => text(`Hello, ${name}!`)),
  define(
    "slow_compute",
    schema({ seconds: "number", label: "string" }),
    async ({ seconds = 0, label = "" }, { signal }) => {
      await pause(Number(seconds) * 1000, signal);
      return text(`computed ${String(label)}`);
    },
    lasting,
  ),
  define(
    "failing_job",
    schema({}),
    async (_args, { signal }) => {
      await pause(300, signal);
      return { ...text("the job failed"), isError: true };
    },
    lasting,
  ),
  define(
    "protocol_error_job",
    schema({}),
    () => {
      throw new WireError(-32603, "the job broke");
    },
    lasting,
  ),
  define(
    "confirm_delete",
    schema({ filename: "string" }),
    async ({ filename }, context) =>
      text(`${String(filename)}: ${JSON.stringify(await confirm(context, "confirm"))}`),
    lasting,
  ),
  define(
    "multi_input",
    schema({}),
    async (_args, context) =>
      text(
        JSON.stringify(await Promise.all([confirm(context, "first"), confirm(context, "second")])),
      ),
    lasting,
  ),
];

const link = duplex(new State({ tools }), {
  era: "modern",
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
  drop: () => process.exit(7),
});
for await (const line of console) link.take(JSON.parse(line) as Message);
await link.finish();
process.exit(0);

// --- internal ---

function confirm({ ask }: Context, key: string) {
  return ask(key, "elicitation/create", { mode: "form", message: key, requestedSchema: form });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  return promise;
}
