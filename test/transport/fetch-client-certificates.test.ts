/** A client certificate of ours: given where it is asked for, and what is wrong with it told. */
import { describe, expect, test } from "bun:test";

import { errorOf, fetchOf, pem, post, tlsServer } from "./fetch-kit.ts";

describe("certificates (B050)", () => {
  describe("of ours", () => {
    test.each([
      ["client.key.pem", undefined],
      ["client-locked.key.pem", "opensesame"],
    ])("is shown to a server that asks, with %s", async (key, passphrase) => {
      await using server = await asking();
      const tls = {
        ca: await pem("ca.pem"),
        cert: await pem("client.pem"),
        key: await pem(key),
        ...(passphrase !== undefined && { passphrase }),
      };
      using fetch = fetchOf({ tls });
      expect(await (await fetch(server.url, post)).text()).toBe("over TLS");
    });

    test("is missed where the server asks for one", async () => {
      await using server = await asking();
      using fetch = fetchOf({ tls: { ca: await pem("ca.pem") } });
      const error = await errorOf(fetch(server.url, post));
      expect(error.hint).toContain("set tls.cert and tls.key");
    });

    test.each([
      ["a key of another certificate", { key: "server.key.pem" }],
      ["a key without its passphrase", { key: "client-locked.key.pem", passphrase: "wrong" }],
    ])("cannot be used: %s", async (_what, { passphrase, ...files }: Record<string, string>) => {
      await using server = await asking();
      const names = { ca: "ca.pem", cert: "client.pem", key: "client.key.pem", ...files };
      const texts = await Promise.all(
        Object.entries(names).map(async ([k, f]) => [k, await pem(f)]),
      );
      using fetch = fetchOf({
        tls: { ...Object.fromEntries(texts), ...(passphrase !== undefined && { passphrase }) },
      });
      const error = await errorOf(fetch(server.url, post));
      expect(error.message).toBe('server "srv": its certificates or its key cannot be used');
      expect(error.facts.sent).toBe(false);
    });
  });
});

/** A server that wants to see a certificate of ours. */
async function asking() {
  const ca = await pem("ca.pem");
  return await tlsServer("server", { ca, requestCert: true, rejectUnauthorized: true });
}
