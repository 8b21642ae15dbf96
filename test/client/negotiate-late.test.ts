/** Eras over one link: answers to the probe and to initialize that come late, together or in another order. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { legacyScript, modernScript, scripted, unknownMethod } from "./kit.ts";
import type { Script } from "./kit.ts";

test("silence on the probe leads to initialize, and a late refusal changes nothing", async () => {
  let probe: unknown;
  const server = scripted(
    (message, far) => {
      if (message.method === "server/discover") probe = message.id;
      else if (message.method === "ping") {
        far.send({ id: probe, error: unknownMethod });
        return {};
      } else return legacyScript()(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(client.era).toBe("legacy");
  expect(server.methods()).toEqual([
    "server/discover",
    "initialize",
    "notifications/initialized",
    "ping",
  ]);
});

test("a DiscoverResult that comes late, but before initialize is answered, decides for modern", async () => {
  const modern = modernScript();
  let held: (() => void) | undefined;
  const server = scripted(
    async (message, far) => {
      if (message.method === "server/discover") await new Promise<void>((go) => (held = go));
      if (message.method === "initialize") {
        held?.();
        // Never answered: the late answer alone has to end the wait.
        return;
      }
      return modern(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
  await client.listTools();
  expect(server.methods()).toEqual(["server/discover", "initialize", "tools/list"]);
});

test("both answers at once, the probe's first: modern; nothing confirms the handshake", async () => {
  let probe: unknown;
  const server = scripted(
    (message, far) => {
      if (message.method === "server/discover") probe = message.id;
      else if (message.method === "initialize") {
        const capabilities = {};
        far.send({ id: probe, result: { supportedVersions: ["2026-07-28"], capabilities } });
        far.send({ id: message.id, result: { protocolVersion: "2025-11-25", capabilities } });
      } else return modernScript()(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
  await client.listTools();
  expect(server.methods()).not.toContain("notifications/initialized");
});

test("a DiscoverResult after initialize was answered is dropped", async () => {
  let probe: unknown;
  const server = scripted(
    (message, far) => {
      if (message.method === "server/discover") probe = message.id;
      else if (message.method === "notifications/initialized") {
        far.send({ id: probe, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
      } else return legacyScript()(message, far);
    },
    { probeTimeoutMs: 20 },
  );
  await using client = await connect(server.options);
  await client.ping();
  expect(client.era).toBe("legacy");
});

test("a refusal of initialize that overtakes the late answer to the probe does not win", async () => {
  const modern = modernScript();
  let probe: Parameters<Script>[0] | undefined;
  const server = scripted(
    async (message, far) => {
      if (message.method === "server/discover") probe = message;
      else if (message.method === "initialize" && probe) {
        far.send({ id: message.id, error: { code: -32601, message: "no initialize here" } });
        await Bun.sleep(5);
        const result = await modern(probe, far);
        far.send({ id: probe.id, result });
      } else return modern(message, far);
    },
    { probeTimeoutMs: 100 },
  );
  await using client = await connect(server.options);
  expect(client.era).toBe("modern");
});
