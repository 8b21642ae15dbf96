/** Eras over one link: a greeting that is refused, echoed, never answered or given up. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, scripted, until } from "./kit.ts";

test("a refused initialize is a start error with the server's own text", async () => {
  const server = scripted((message, far) => {
    if (message.method !== "initialize") return legacyScript()(message, far);
    far.send({
      id: message.id,
      error: { code: -32603, message: "no API key", data: { key: "X" } },
    });
  });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: 'server "far" refused initialize: no API key',
    facts: { server: "far", rpcCode: -32603, rpcData: { key: "X" } },
  });
});

test.each(["auto", "legacy", "modern"])(
  "a program that sends back what it gets is said to be none, asked for %s",
  async (protocol) => {
    const server = scripted((message, far) => far.send(message), { protocol });
    await expect(connect(server.options)).rejects.toMatchObject({
      code: "server_start",
      message: 'server "far" is no MCP server: it sends back what it gets',
    });
  },
);

test("a server that answers nothing is a start error after the start time; initialize is not cancelled", async () => {
  const server = scripted(() => {}, { probeTimeoutMs: 10, startTimeoutMs: 60 });
  await expect(connect(server.options)).rejects.toMatchObject({
    code: "server_start",
    message: expect.stringContaining("did not answer initialize"),
  });
  await until(() => server.received.length === 2);
  expect(server.methods()).toEqual(["server/discover", "initialize"]);
});

test("aborting gives up at once, and tells the server nothing", async () => {
  const abort = new AbortController();
  const server = scripted(() => {}, { signal: abort.signal, probeTimeoutMs: 10 });
  const connecting = connect(server.options);
  await until(() => server.received.length === 2);
  abort.abort();
  await expect(connecting).rejects.toMatchObject({ code: "cancelled" });
  expect(server.methods()).toEqual(["server/discover", "initialize"]);
});

test("a signal that fired before is respected", async () => {
  const server = scripted(legacyScript(), { signal: AbortSignal.abort() });
  await expect(connect(server.options)).rejects.toMatchObject({ code: "cancelled" });
});
