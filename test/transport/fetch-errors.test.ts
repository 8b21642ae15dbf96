/** What a request ends in when the network, a certificate or the server is at fault: code, facts, and what helps. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { unreachable } from "../../lib/transport/fetch-connect.ts";
import { networkError } from "../../lib/transport/fetch-errors.ts";
import { root, tempDir } from "../harness.ts";
import {
  closedPort,
  errorOf,
  fetchOf,
  httpServer,
  pem,
  pemPath,
  post,
  rawServer,
  tlsServer,
} from "./fetch-kit.ts";

describe("reaching the server", () => {
  test.each(["127.0.0.1", "localhost", "[::1]"])("nothing listens on %s", async (host) => {
    const port = await closedPort();
    using fetch = fetchOf();
    const error = await errorOf(fetch(`http://u:s3cr3t-5@${host}:${port}/mcp?key=s3cr3t-6`, post));
    const shown = host.replace(/[[\]]/g, "");
    expect(error.code).toBe("server_exit");
    expect(error.message).toBe(`server "srv": nothing listens on ${shown}:${port} (ECONNREFUSED)`);
    expect(error.facts).toEqual({
      server: "srv",
      sent: false,
      errno: "ECONNREFUSED",
      host: shown,
      port,
    });
    expect(error.hint).toBe("is the server running, and is the port right?");
  });

  test("a host name that nobody knows", async () => {
    using fetch = fetchOf();
    const error = await errorOf(fetch("https://no-such-host.invalid/mcp", post));
    expect(error.message).toMatch(
      /^server "srv": the host name of no-such-host\.invalid:443 is not known \(\w+\)$/,
    );
    expect(error.facts).toMatchObject({ sent: false, host: "no-such-host.invalid", port: 443 });
    expect(error.hint).toContain("HTTPS_PROXY");
  });

  test.each([
    [undefined, "no connection to 127.0.0.1:9 within 0.1 s", /firewall/],
    [
      { url: "http://u:s3cr3t-5@p.invalid:8080", shown: "p.invalid:8080", variable: "HTTP_PROXY" },
      "no connection to the proxy p.invalid:8080 (HTTP_PROXY) within 0.1 s",
      /NO_PROXY/,
    ],
  ])("where nobody answers a connection, it is given up: %j", async (route, text, hint) => {
    const { signal } = new AbortController();
    const options = { name: "srv", log() {}, connectTimeoutMs: 50 };
    const look = (connect: () => Promise<unknown>) =>
      unreachable(new URL("http://127.0.0.1:9/mcp"), route, options, signal, connect);
    const error = await look(() => new Promise(() => {}));
    expect(error?.message).toBe(`server "srv": ${text}`);
    expect(error?.facts).toMatchObject({ sent: false, errno: "ETIMEDOUT" });
    expect(error?.hint).toMatch(hint);
    // A connection and a refusal both say that somebody is there.
    expect(await look(async () => {})).toBeUndefined();
    expect(await look(() => Promise.reject(new Error("refused")))).toBeUndefined();
  });

  test("a server that is only slow is waited for, headers and body", async () => {
    await using server = httpServer(async () => {
      await Bun.sleep(300);
      return new Response(slowly());
    });
    using fetch = fetchOf({ connectTimeoutMs: 50 });
    expect(await (await fetch(server.url, post)).text()).toBe("ab");
  });

  test("the caller's signal ends a request, with its own reason", async () => {
    using server = rawServer(() => {});
    using fetch = fetchOf();
    const reason = new Error("enough");
    const control = new AbortController();
    const request = fetch(server.url, { ...post, signal: control.signal });
    while (server.connections() === 0) await Bun.sleep(1);
    control.abort(reason);
    await expect(request).rejects.toBe(reason);
  });
});

test.each([
  ["EAI_AGAIN", false, "the host name of far.test:443 is not known (EAI_AGAIN)"],
  ["EHOSTUNREACH", false, "far.test:443 cannot be reached (EHOSTUNREACH)"],
  ["ENETUNREACH", false, "far.test:443 cannot be reached (ENETUNREACH)"],
  ["ETIMEDOUT", true, "far.test:443 does not answer any more (ETIMEDOUT)"],
  ["EPIPE", true, "far.test:443 closed the connection before it answered (EPIPE)"],
  ["SELF_SIGNED_CERT_IN_CHAIN", false, /^the certificate of far\.test:443 is not valid: words \(/],
  ["CERT_REVOKED", false, /^the certificate of far\.test:443 is not valid: words \(/],
  ["NobodyKnowsThis", true, /closed the connection before it answered \(NobodyKnowsThis\)$/],
])("%s: may have been sent: %p", (code, sent, text) => {
  const cause = Object.assign(new TypeError("words"), { code });
  const error = networkError(cause, {
    name: "srv",
    url: new URL("https://far.test/mcp?key=s3cr3t"),
  });
  expect(error.code).toBe("server_exit");
  expect(error.message.replace('server "srv": ', "")).toMatch(text);
  expect(error.facts).toMatchObject({ sent, errno: code, host: "far.test", port: 443 });
  expect(error.hint).toBeString();
});

describe("the connection ends", () => {
  test.each([
    ["before anything was read", "open"],
    ["after the request was read", "data"],
  ])("%s: nobody knows whether it was done", async (_when, at) => {
    using server = rawServer((socket) => void socket.end());
    using closing = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: { open: (socket) => void socket.end(), data() {} },
    });
    const port = at === "open" ? closing.port : server.port;
    using fetch = fetchOf();
    const error = await errorOf(fetch(`http://127.0.0.1:${port}/mcp`, post));
    expect(error.message).toBe(
      `server "srv": 127.0.0.1:${port} closed the connection before it answered (ECONNRESET)`,
    );
    expect(error.facts).toMatchObject({ sent: true, errno: "ECONNRESET" });
  });

  test("it speaks no HTTP", async () => {
    using server = rawServer((socket) => void socket.write("220 mail ready\r\n\r\n"));
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    expect(error.message).toBe(`server "srv": what 127.0.0.1:${server.port} answered is no HTTP`);
    expect(error.facts.sent).toBe(true);
  });

  test.each([
    ["InvalidContentLength", "200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["UnrequestedUpgrade", "101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
  ])("it speaks HTTP badly: %s", async (code, rest) => {
    using server = rawServer((socket) => void socket.write(`HTTP/1.1 ${rest}`));
    using fetch = fetchOf();
    const error = await errorOf(fetch(server.url, post));
    const what = `what 127.0.0.1:${server.port} answered cannot be read as HTTP (${code})`;
    expect(error.message).toBe(`server "srv": ${what}`);
    expect(error.facts).toMatchObject({ sent: true, errno: code });
  });

  test.each([
    ["of a known length", "content-length: 9\r\n\r\nabc"],
    ["in chunks", "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"],
  ])("in a body %s: half an answer is an error", async (_how, rest) => {
    using server = rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`);
      socket.end();
    });
    using fetch = fetchOf();
    const read = async () => await (await fetch(server.url, post)).text();
    await expect(read()).rejects.toThrow();
  });

  test("half closed by the server: the answer still counts", async () => {
    using server = rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      socket.shutdown();
    });
    using fetch = fetchOf();
    expect(await (await fetch(server.url, post)).text()).toBe("ok");
  });
});

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

/** A body in two pieces, with a pause between them. */
async function* slowly() {
  yield "a";
  await Bun.sleep(300);
  yield "b";
}

/** A server that wants to see a certificate of ours. */
async function asking() {
  const ca = await pem("ca.pem");
  return await tlsServer("server", { ca, requestCert: true, rejectUnauthorized: true });
}
