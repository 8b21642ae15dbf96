/** What a request ends in when a certificate is at fault: the code, what helps, and what trusts it. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { root, tempDir } from "../harness.ts";
import { errorOf, fetchOf, httpServer, pem, pemPath, post, tlsServer } from "./fetch-kit.ts";

describe("certificates (B050)", () => {
  test.each([
    [
      "server",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "unable to verify the first certificate",
      /tls\.ca/,
    ],
    [
      "self-signed",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "self signed certificate",
      /NODE_EXTRA_CA_CERTS/,
    ],
    ["expired", "CERT_HAS_EXPIRED", "certificate has expired", /clock/],
  ])("%s: %s", async (certificate, code, reason, hint) => {
    await using server = await tlsServer(certificate);
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    expect(error.code).toBe("server_exit");
    expect(error.message).toBe(
      `server "srv": the certificate of 127.0.0.1:${server.port} is not valid: ${reason} (${code})`,
    );
    expect(error.facts).toMatchObject({ sent: false, errno: code, certificate: reason });
    expect(error.hint).toMatch(hint);
  });

  test("for another name, and expired, though we trust who signed it", async () => {
    const tls = { ca: await pem("ca.pem") };
    for (const [certificate, code] of [
      ["wrong-name", "ERR_TLS_CERT_ALTNAME_INVALID"],
      ["expired", "CERT_HAS_EXPIRED"],
    ] as const) {
      await using server = await tlsServer(certificate);
      using fetch = fetchOf({ tls });
      expect((await errorOf(fetch(server.url, post))).facts.errno).toBe(code);
    }
  });

  test.each([
    ["server", "ca.pem"],
    ["self-signed", "self-signed.pem"],
  ])("%s is taken with %s as tls.ca", async (certificate, ca) => {
    await using server = await tlsServer(certificate);
    using fetch = fetchOf({ tls: { ca: await pem(ca) } });
    expect(await (await fetch(server.url, post)).text()).toBe("over TLS");
  });

  test.each(["expired", "wrong-name", "self-signed"])(
    "insecure takes %s, and warns",
    async (name) => {
      await using server = await tlsServer(name);
      using fetch = fetchOf({ tls: { insecure: true } });
      expect(await (await fetch(server.url, post)).text()).toBe("over TLS");
      expect(fetch.logs).toEqual([
        {
          level: "warn",
          server: "srv",
          text: "tls.insecure is set: its certificate is not checked, and anybody on the way can read and change what is said",
        },
      ]);
    },
  );

  test("one server's insecure is not another's", async () => {
    await using server = await tlsServer("self-signed");
    using lax = fetchOf({ tls: { insecure: true } });
    using strict = fetchOf();
    await (await lax(server.url, post)).text();
    expect((await errorOf(strict(server.url, post))).facts.sent).toBe(false);
  });

  test.each(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"])(
    "%s is honoured",
    async (name) => {
      await using server = await tlsServer("server");
      await using dir = await tempDir();
      await Bun.write(dir.file("authority.pem"), await pem("ca.pem"));
      const value = name === "SSL_CERT_DIR" ? dir.path : dir.file("authority.pem");
      using fetch = fetchOf({ env: { [name]: value } });
      const all = await Promise.all([1, 2, 3].map(() => fetch(server.url, post)));
      for (const response of all) expect(await response.text()).toBe("over TLS");
    },
  );

  test("a variable that names nothing leaves the error as it is", async () => {
    await using server = await tlsServer("server");
    using fetch = fetchOf({
      env: { NODE_EXTRA_CA_CERTS: "/nowhere.pem", SSL_CERT_DIR: "/nowhere" },
    });
    const error = await errorOf(fetch(server.url, post));
    expect(error.facts.errno).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  });

  test("a program started with NODE_EXTRA_CA_CERTS trusts from the first request on", async () => {
    await using server = await tlsServer("server");
    const code = `const { createFetch } = await import(${JSON.stringify(join(root, "lib/transport/fetch.ts"))});
      const fetch = createFetch({ name: "srv", log() {} });
      console.log(await (await fetch(${JSON.stringify(server.url)})).text());`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: pemPath("ca.pem") };
    await using child = Bun.spawn([process.execPath, "-e", code], { env, stderr: "inherit" });
    expect(await child.stdout.text()).toBe("over TLS\n");
  });

  test("https where plain HTTP is spoken, and the reverse", async () => {
    await using plain = httpServer(() => new Response("plain"));
    await using secure = await tlsServer("server");
    using fetch = fetchOf();
    const one = await errorOf(fetch(plain.url.replace("http:", "https:"), post));
    expect([one.facts.sent, one.facts.errno]).toEqual([false, "EPROTO"]);
    expect(one.hint).toContain("does it speak plain HTTP?");
    const other = await errorOf(fetch(secure.url.replace("https:", "http:"), post));
    expect(other.hint).toContain("if it expects TLS, its address begins with https://");
  });
});

test("a variable that switches the checks of certificates off is warned of", () => {
  using fetch = fetchOf({ env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
  expect(fetch.logs.map(({ level }) => level)).toEqual(["warn"]);
});
