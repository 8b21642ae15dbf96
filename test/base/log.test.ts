import { expect, test } from "bun:test";

import { createLog, type LogEntry } from "../../lib/base/log.ts";

const line = (text: string): LogEntry => ({ level: "info", text });

test("leaves out what is below the level, but not a server's stderr where it is wanted", () => {
  const texts: string[] = [];
  const write = ({ text }: LogEntry) => void texts.push(text);
  const stderr: LogEntry = { level: "debug", text: "from the server", source: "stderr" };
  createLog({ level: "warn", write })(stderr);
  const log = createLog({ level: "warn", stderr: true, write });
  log({ level: "info", text: "info" });
  log({ level: "warn", text: "warn" });
  log({ level: "debug", text: "notified", source: "notification" });
  log(stderr);
  expect(texts).toEqual(["warn", "from the server"]);
});

test("a slow reader makes nobody wait; order is kept, what is too much is dropped and counted", async () => {
  const texts: string[] = [];
  const gate = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const log = createLog({
    level: "debug",
    queueMax: 3,
    write: async ({ text }) => {
      texts.push(text);
      await gate.promise;
      if (text === "last") done.resolve();
    },
  });
  for (let i = 0; i < 10; i++) log(line(`${i}`));
  expect(texts).toEqual(["0"]);
  gate.resolve();
  while (texts.length < 5) await Bun.sleep(0);
  log(line("last"));
  await done.promise;
  expect(texts).toEqual(["0", "1", "2", "3", "6 log entries were dropped here", "last"]);
});

test("a writer that fails breaks nothing", async () => {
  const texts: string[] = [];
  const log = createLog({
    level: "debug",
    write: ({ text }) => {
      texts.push(text);
      if (text === "throws") throw new Error("no");
      if (text === "rejects") return Promise.reject(new Error("no"));
    },
  });
  log(line("throws"));
  log(line("rejects"));
  log(line("after"));
  while (texts.length < 3) await Bun.sleep(0);
  expect(texts).toEqual(["throws", "rejects", "after"]);
});
