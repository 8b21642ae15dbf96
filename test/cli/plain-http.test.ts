/** A plain call over HTTP: what is asked is what the host asks, and the call is made once. */
import { expect, test } from "bun:test";

import { version } from "../../package.json";
import { expectRun, tempDir } from "../harness.ts";
import { call, callsIn, odds, recorder } from "./plain-http-kit.ts";

const sent = {
  legacy: ["initialize", "notifications/initialized", "tools/list", "tools/call"],
  modern: ["tools/list", "tools/call"],
};

for (const era of ["legacy", "modern"] as const)
  for (const stage of ["server/discover", ...sent[era]])
    test.concurrent.each(["nothing", ...Object.keys(odds)])(
      `${era}, %s before ${stage}: the call is made once, whoever goes on`,
      async (what) => {
        await using home = await tempDir();
        using server = recorder(era, stage, what);
        for (const known of [false, true]) {
          server.begin();
          const { code, stdout } = await call(home, server.url).run();
          // An answer to nobody leaves its request without one.
          if (what === "a string for an id" && code !== 0) return;
          expect({ code, stdout, known }).toEqual({ code: 0, stdout: "hi\n", known });
          const asked = server.got.map(({ method }) => method).filter((method) => method !== "");
          const isRepeated = what === "a redirect" || what === "not now";
          if (stage !== "tools/call" || !isRepeated) expect(callsIn(server.got)).toHaveLength(1);
          if (what === "nothing" && known) expect(asked).toEqual(sent[era]);
        }
      },
    );

test("what is asked is what the host asks, byte for byte", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using home = await tempDir();
    await using other = await tempDir();
    using server = recorder(era, "", "");
    for (let run = 0; run < 2; run += 1) {
      expectRun(await call(home, server.url).run(), { stdout: "hi\n" });
      const plain = server.got.splice(0).filter(({ http }) => http !== "GET");
      // The flag makes it a call of the host's.
      expectRun(await call(other, server.url, "--no-user-config").run(), { stdout: "hi\n" });
      const whole = server.got.splice(0).filter(({ http }) => http !== "GET");
      expect(plain).toEqual(whole);
    }
  }
});

test.concurrent.each([
  ["mcphost/VERSION", [], `mcphost/${version}`],
  ["a header", ["--header", "user-agent: me/1"], "me/1"],
])("every request says who asks: %s", async (_name, flags, agent) => {
  for (const era of ["legacy", "modern"] as const) {
    await using home = await tempDir();
    using server = recorder(era, "", "");
    expectRun(await call(home, server.url, ...flags).run(), { stdout: "hi\n" });
    expectRun(await call(home, server.url, "--no-user-config", ...flags).run(), { stdout: "hi\n" });
    expect(server.got.length).toBeGreaterThan(4);
    for (const { headers } of server.got) expect(headers["user-agent"]).toBe(agent);
  }
});
