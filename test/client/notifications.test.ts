/** What a server tells: changes of lists are passed on, and logs become entries of ours. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, scripted, text } from "./kit.ts";

test("each list change is passed on, declared or not; other notifications are ignored", async () => {
  const changed: string[] = [];
  const server = scripted(
    legacyScript({
      capabilities: {},
      call: (_, far) => {
        for (let i = 0; i < 200; i++) far.send({ method: "notifications/tools/list_changed" });
        far.send({ method: "notifications/resources/list_changed" });
        far.send({ method: "notifications/prompts/list_changed" });
        far.send({ method: "notifications/__proto__/list_changed" });
        far.send({ method: "notifications/whatever", params: { a: 1 } });
        return text("done");
      },
    }),
    { onListChanged: (list) => changed.push(list) },
  );
  await using client = await connect(server.options);
  await client.callTool("one", {});
  expect(changed.filter((list) => list === "tools")).toHaveLength(200);
  expect(changed.slice(-2)).toEqual(["resources", "prompts"]);
});

test("log notifications become log entries, whatever their data", async () => {
  const sent = [
    { level: "debug", data: "plain" },
    { level: "notice", logger: "db", data: { rows: 3 } },
    { level: "emergency", data: [1, null] },
    { level: "warning", data: "x".repeat(100_000) },
    { level: "odd" },
    { level: "ERROR", data: "in capitals" },
    { level: "fatal", data: "by another name" },
  ];
  const server = scripted(
    legacyScript({
      call: (_, far) => {
        for (const params of sent) far.send({ method: "notifications/message", params });
        return text("done");
      },
    }),
  );
  await using client = await connect(server.options);
  await client.callTool("one", {});
  const entries = server.log.filter(({ source }) => source === "notification");
  expect(entries.map(({ level }) => level)).toEqual([
    "debug",
    "info",
    "error",
    "warn",
    "info",
    "error",
    "error",
  ]);
  expect(entries.slice(0, 3).map((entry) => entry.text)).toEqual([
    "plain",
    'db: {"rows":3}',
    "[1,null]",
  ]);
  expect(entries[3]?.text.length).toBeLessThan(9000);
  expect(entries[0]?.server).toBe("far");
});
