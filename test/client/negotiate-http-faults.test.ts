/** Eras over HTTP (protocol.md 1.4): faults and silence, which prove nothing. */
import { describe, expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { httpScripted, unreached } from "./http-kit.ts";
import type { Asked, Exchange } from "./http-kit.ts";
import { failureOf, legacy, modern, probed } from "./negotiate-http-kit.ts";

function mute({ method }: Asked): Exchange {
  return method === "server/discover" ? undefined : legacy({ method, params: {} });
}

describe("what proves nothing is reported, and nothing else is tried", () => {
  test.each([502, 503, 408, 429])("HTTP %d", async (status) => {
    const server = httpScripted(probed([{ status }]));
    const error = await failureOf(connect(server.options));
    expect(error).toMatchObject({
      code: "server_start",
      message: `server "far" answered HTTP ${status}`,
      facts: { httpStatus: status, method: "server/discover" },
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("a server that cannot be reached", async () => {
    const server = httpScripted(probed([{ failure: unreached() }]));
    expect(await failureOf(connect(server.options))).toMatchObject({
      code: "server_start",
      facts: { errno: "ECONNREFUSED" },
      hint: "is the server running?",
    });
    expect(server.methods).toEqual(["server/discover"]);
  });

  test("silence, for as long as a start may take", async () => {
    const server = httpScripted(mute, { startTimeoutMs: 60 });
    const startedAt = performance.now();
    expect(await failureOf(connect(server.options))).toMatchObject({
      code: "server_start",
      message: expect.stringMatching(/^server "far" did not answer server\/discover in \d+\.\d s$/),
      hint: expect.stringContaining("URL"),
    });
    expect(performance.now() - startedAt).toBeGreaterThan(55);
    expect(server.methods).toEqual(["server/discover"]);
  });
});

describe("some have a fault wherever they do not know what is asked, or say nothing", () => {
  test.each([500, 501])("HTTP %d: initialize is asked, too", async (status) => {
    const server = httpScripted(probed([{ status }]));
    await using client = await connect(server.options);
    expect(client.era).toBe("legacy");
    expect(server.methods.slice(0, 2)).toEqual(["server/discover", "initialize"]);
  });

  test("where that fails, too, the first error is told", async () => {
    const server = httpScripted(probed([{ status: 500 }], () => ({ status: 404 })));
    expect(await failureOf(connect(server.options))).toMatchObject({
      facts: { httpStatus: 500, method: "server/discover" },
    });
    expect(server.methods).toEqual(["server/discover", "initialize"]);
    const modernOnly = httpScripted(probed([{ status: 500 }]), { protocol: "modern" });
    await failureOf(connect(modernOnly.options));
    expect(modernOnly.methods).toEqual(["server/discover"]);
  });

  test("silence: initialize is asked beside it", async () => {
    const server = httpScripted(mute);
    await using client = await connect(server.options);
    expect(client.era).toBe("legacy");
    expect(server.methods.slice(0, 2)).toEqual(["server/discover", "initialize"]);
  });

  test("one that is modern and slow may take its time, whatever it says to initialize", async () => {
    const server = httpScripted(async (asked) => {
      if (asked.method === "server/discover") await Bun.sleep(300);
      return asked.method === "initialize" ? { status: 404 } : modern(asked);
    });
    await using client = await connect(server.options);
    expect(client.era).toBe("modern");
    expect(server.methods).toEqual(["server/discover", "initialize"]);
  });
});
