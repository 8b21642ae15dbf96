/** Eras over one link: what comes before the greeting, and the log level that is asked for with it. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, metaOf, modernScript, scripted } from "./kit.ts";

test("what a server sends before its greeting is taken in stride", async () => {
  const changed: string[] = [];
  const server = scripted(
    (message, far) => {
      if (message.method === "initialize") {
        far.send({ method: "notifications/tools/list_changed" });
        far.send({ id: "p", method: "ping" });
        for (let i = 0; i < 16; i++) {
          far.send({
            method: "notifications/message",
            params: { level: "info", data: `line ${i}` },
          });
        }
      }
      return legacyScript()(message, far);
    },
    { onListChanged: (list) => changed.push(list) },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(changed).toEqual([]);
  expect(server.received).toContainEqual(expect.objectContaining({ id: "p", result: {} }));
  const lines = server.log
    .filter(({ source }) => source === "notification")
    .map((entry) => entry.text);
  expect(lines).toEqual(Array.from({ length: 16 }, (_, i) => `line ${i}`));
});

test("the log level is asked for where the server can log, without waiting", async () => {
  const server = scripted(
    (message, far) =>
      message.method === "logging/setLevel"
        ? undefined
        : legacyScript({ capabilities: { logging: {} } })(message, far),
    { logLevel: "warning" },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(server.methods().slice(-2)).toEqual(["logging/setLevel", "ping"]);

  const without = scripted(legacyScript(), { logLevel: "warning" });
  await using other = await connect(without.options);
  await other.ping();
  expect(without.methods()).not.toContain("logging/setLevel");

  const modern = scripted(modernScript(), { logLevel: "warning" });
  await using third = await connect(modern.options);
  await third.listTools();
  expect(metaOf(modern.received.at(-1))["io.modelcontextprotocol/logLevel"]).toBe("warning");
});
