/** What a config says of certificates: files and text, and what is refused. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { expandServer } from "../../lib/config/expand.ts";
import { redact } from "../../lib/config/redact.ts";
import type { HttpServer } from "../../lib/config/types.ts";
import { root } from "../harness.ts";
import { context, read, url } from "./http-kit.ts";
import { configOf, errorOf, folderWith, load } from "./kit.ts";

const certificates = join(root, "test/fixtures/tls");

describe("tls", () => {
  test("files are read from the config's folder, and their text is the ready server's", async () => {
    const pem = await Bun.file(join(certificates, "ca.pem")).text();
    const key = await Bun.file(join(certificates, "client.key.pem")).text();
    await using folder = await folderWith({
      "ca.pem": pem,
      "keys/client.pem": pem,
      "keys/client.key.pem": key,
      "c.json": JSON.stringify({
        mcpServers: {
          h: {
            url,
            tls: {
              ca: "ca.pem",
              cert: "${WHERE}/client.pem",
              key: "./keys/client.key.pem",
              passphrase: "${PHRASE}",
              insecure: true,
            },
          },
        },
      }),
    });
    const { servers } = await load({ files: ["c.json"], cwd: folder.path });
    const env = { WHERE: "keys", PHRASE: "open-sesame" };
    const { server, secrets } = await expandServer(
      servers[0] as HttpServer,
      context("/elsewhere", env),
    );
    expect(server.tls).toEqual({
      ca: pem,
      cert: pem,
      key,
      passphrase: "open-sesame",
      insecure: true,
    });
    expect(secrets()).toContain("open-sesame");
    // No line of the key is shown, wherever it is cut.
    const [, line = ""] = key.split("\n");
    expect(redact(`bad key ${line}`, secrets())).toBe("bad key ***");
  });

  test("the text itself may be given", async () => {
    const key = await Bun.file(join(certificates, "client.key.pem")).text();
    const cert = await Bun.file(join(certificates, "client.pem")).text();
    const { server } = await read({ tls: { cert, key: "${secret:key}" } });
    const { server: ready } = await expandServer(server, context("/", { MCPHOST_SECRET_KEY: key }));
    expect(ready.tls).toEqual({ cert, key });
  });

  test.each([
    [{ ca: "missing.pem" }, /^server "h": tls\.ca: there is no file .*missing\.pem$/],
    [{ ca: "${UNSET}" }, /^server "h": tls\.ca: the environment variable UNSET is not set$/],
    [{ cert: "c.pem" }, /^server "h": tls: cert and key belong together$/],
    [{ key: "k.pem" }, /^server "h": tls: cert and key belong together$/],
    // A secret that is no PEM is no path either, and is not shown.
    [{ ca: "${secret:ca}" }, /^server "h": tls\.ca: expected a certificate in PEM form$/],
    [{ ca: "README.md" }, /^server "h": tls\.ca: expected a certificate in PEM form$/],
    [
      { cert: "test/fixtures/tls/ca.pem", key: "test/fixtures/tls/ca.pem" },
      /^server "h": tls\.key: expected a private key in PEM form$/,
    ],
  ])("%j is refused", async (tls, message) => {
    const { server } = await read({ tls });
    server.origin = { ...server.origin, file: join(root, "c.json") };
    const world = context("/", { MCPHOST_SECRET_CA: "s3cr3t-not-pem" });
    const error = await errorOf(() => expandServer(server, world));
    expect(error.code).toBe("config");
    expect(error.message).toMatch(message);
  });

  test.each([
    [{ ca: 1 }, "mcpServers.h.tls.ca: expected a string, found a number"],
    [{ insecure: "yes" }, "mcpServers.h.tls.insecure: expected true or false, found a string"],
    ["ca.pem", "mcpServers.h.tls: expected an object, found a string"],
  ])("%j is a bad server", async (tls, reason) => {
    const { config } = await read({ tls });
    expect(config.bad.map((bad) => bad.reason)).toEqual([reason]);
  });

  test("a key that nobody knows gets a hint, and has no effect (B008)", async () => {
    const { config, server } = await read({ tls: { insecur: true, ca: "ca.pem" } });
    expect(server.tls).toEqual({ ca: "ca.pem" });
    expect(config.warnings).toEqual([
      'servers.json: mcpServers.h: tls: nobody knows the key "insecur"; did you mean insecure?',
    ]);
  });

  test("no key of an object's prototype is taken", async () => {
    const config = await configOf(
      `{"mcpServers":{"h":{"url":"${url}","tls":{"__proto__":{"insecure":true}}}}}`,
    );
    expect((config.servers[0] as HttpServer).tls?.insecure).toBeUndefined();
  });
});
