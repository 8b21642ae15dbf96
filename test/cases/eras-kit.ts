/** A call of a server whose era is to be found out, and what it saw. */
import { mcphost, tempDir } from "../harness.ts";
import { messagesIn } from "./kit.ts";

/** What such a call prints. */
export const echo = { stdout: "hello\n" };

/** One call of `echo`, with all messages that the server saw. */
export async function echoOf(fault: string[], ...words: string[]) {
  await using dir = await tempDir();
  const seen = dir.file("seen");
  const run = await mcphost(
    "call",
    "echo",
    "message=hello",
    ...words,
    "--env",
    `FIXTURE_SEEN=${seen}`,
    "--",
    ...fault,
  ).run();
  const messages = await messagesIn(seen);
  return { run, messages, methods: messages.flatMap(({ method }) => method ?? []) };
}
