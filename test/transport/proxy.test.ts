/** Which proxy is taken, by the variables of the environment; and requests through real ones. */
import { describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

import { routeOf } from "../../lib/transport/proxy.ts";
import { closedPort, errorOf, fetchOf, pem, post, tlsServer } from "./fetch-kit.ts";

const proxy = "http://p.invalid:8080";

const shownFor = (url: string, env: Record<string, string>) =>
  routeOf(new URL(url), env, "srv")?.shown;

describe("the variables (B035)", () => {
  test.each([
    [{ http_proxy: proxy }, "http://a.test/", "p.invalid:8080"],
    [{ HTTP_PROXY: proxy }, "http://a.test/", "p.invalid:8080"],
    [{ HTTP_PROXY: proxy }, "https://a.test/", undefined],
    [{ HTTPS_PROXY: proxy }, "https://a.test/", "p.invalid:8080"],
    [{ HTTPS_PROXY: proxy }, "wss://a.test/", "p.invalid:8080"],
    [{ HTTP_PROXY: proxy }, "ws://a.test/", "p.invalid:8080"],
    [{ HTTPS_PROXY: proxy }, "http://a.test/", undefined],
    [{ ALL_PROXY: proxy }, "https://a.test/", "p.invalid:8080"],
    [{ ALL_PROXY: proxy, HTTPS_PROXY: "http://q.invalid:1" }, "https://a.test/", "q.invalid:1"],
    [
      { https_proxy: proxy, HTTPS_PROXY: "http://q.invalid:1" },
      "https://a.test/",
      "p.invalid:8080",
    ],
    [{ http_proxy: "", HTTP_PROXY: proxy }, "http://a.test/", "p.invalid:8080"],
    [{ HTTP_PROXY: "p.invalid:3128" }, "http://a.test/", "p.invalid:3128"],
    [{ HTTP_PROXY: "https://u:s3cr3t@p.invalid:3128" }, "http://a.test/", "p.invalid:3128"],
    [{}, "http://a.test/", undefined],
  ])("%j for %s", (env, url, shown) => {
    expect(shownFor(url, env as Record<string, string>)).toBe(shown);
  });

  test.each(["localhost", "LOCALHOST", "app.localhost", "127.0.0.1", "127.9.9.9", "[::1]"])(
    "%s is on this machine: never through a proxy",
    (host) => {
      const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy };
      expect(shownFor(`http://${host}:3000/mcp`, env)).toBeUndefined();
      expect(shownFor(`https://${host}:3000/mcp`, env)).toBeUndefined();
    },
  );

  test.each([
    ["*", "http://a.test/", true],
    ["a.test", "http://a.test/", true],
    ["a.test", "http://b.a.test/", true],
    [".a.test", "http://a.test/", true],
    ["*.a.test", "http://b.a.test/", true],
    ["A.Test", "http://a.test./", true],
    ["a.test", "http://aa.test/", false],
    ["b.test, a.test", "http://a.test/", true],
    ["b.test a.test", "http://a.test/", true],
    ["a.test:8080", "http://a.test:8080/", true],
    ["a.test:8080", "http://a.test/", false],
    ["a.test:80", "http://a.test/", true],
    ["a.test:443", "https://a.test/", true],
    ["10.0.0.1", "http://10.0.0.1/", true],
    ["10.0.0.1:81", "http://10.0.0.1/", false],
    ["10.0.0.0/8", "http://10.9.8.7/", true],
    ["10.0.0.0/8", "http://11.9.8.7/", false],
    ["10.0.0.0/8", "http://a.test/", false],
    ["0.0.0.1", "http://10.0.0.0.1.test/", false],
    ["fd00::/8", "http://[fd12::1]/", true],
    ["[fd00::1]", "http://[fd00::1]/", true],
    ["fd00:0::1", "http://[fd00::1]/", true],
    ["[fd00::1]:81", "http://[fd00::1]/", false],
    ["fd00::/16", "http://[fd12::1]/", false],
    ["::ffff:10.0.0.0/104", "http://[::ffff:10.9.8.7]/", true],
    ["10.0.0.0/8", "http://0xa010203/", true],
    ["::/0", "http://10.0.0.1/", false],
    ["0.0.0.0/0", "http://10.0.0.1/", true],
    ["x::y/8", "http://[fd12::1]/", false],
    ["10.0.0.0/99", "http://10.0.0.0/", false],
    [", ,", "http://a.test/", false],
    ["", "http://a.test/", false],
  ])("NO_PROXY=%j and %s: %j", (list, url, isDirect) => {
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    expect(shownFor(url, { ...env, NO_PROXY: list }) === undefined).toBe(isDirect);
    expect(shownFor(url, { ...env, no_proxy: list }) === undefined).toBe(isDirect);
  });

  test.each(["socks5://s3cr3t@p.invalid:1", "http://["])(
    "%j cannot be used, and says so",
    (value) => {
      const route = () => routeOf(new URL("http://a.test/"), { ALL_PROXY: value }, "srv");
      expect(route).toThrow(
        /^server "srv": ALL_PROXY names (a proxy of the kind socks5|no address); only http/,
      );
      expect(route).not.toThrow(/s3cr3t/);
    },
  );
});

describe("requests", () => {
  test("plain HTTP goes to the proxy whole, with its credentials", async () => {
    await using far = await proxyServer();
    const env = { HTTP_PROXY: `http://me:p%C3%A4ss@127.0.0.1:${far.port}` };
    using fetch = fetchOf({ env });
    // The name is the proxy's to find; it stands for a server of ours.
    const response = await fetch("http://far.invalid/mcp", post);
    expect(await response.text()).toBe("forwarded far.invalid");
    expect(far.seen).toEqual(["POST http://far.invalid/mcp me:päss"]);
  });

  test("HTTPS goes through a tunnel, and its certificate is checked", async () => {
    await using server = await tlsServer("server");
    await using far = await proxyServer(server.port);
    const env = { HTTPS_PROXY: `127.0.0.1:${far.port}` };
    const tls = { ca: await pem("ca.pem") };
    using fetch = fetchOf({ env, tls });
    // The fixture's certificate is for localhost, and not for this name.
    const error = await errorOf(fetch("https://far.invalid/mcp", post));
    expect(error.facts).toMatchObject({
      errno: "ERR_TLS_CERT_ALTNAME_INVALID",
      proxy: `127.0.0.1:${far.port}`,
    });
    using lax = fetchOf({ env, tls: { insecure: true } });
    expect(await (await lax("https://far.invalid/mcp", post)).text()).toBe("over TLS");
    expect(new Set(far.seen)).toEqual(new Set(["CONNECT far.invalid:443 "]));
  });

  test("loopback goes by it, whatever the variables say (B035)", async () => {
    await using server = await tlsServer("server");
    const dead = `http://127.0.0.1:${await closedPort()}`;
    const env = { HTTP_PROXY: dead, HTTPS_PROXY: dead, ALL_PROXY: dead };
    using fetch = fetchOf({ env, tls: { ca: await pem("ca.pem") } });
    expect(await (await fetch(server.url, post)).text()).toBe("over TLS");
  });

  test("a proxy that is down is named, and not the server (B035)", async () => {
    const port = await closedPort();
    const env = { HTTPS_PROXY: `http://u:s3cr3t-5@127.0.0.1:${port}` };
    using fetch = fetchOf({ env });
    const error = await errorOf(fetch("https://far.invalid/mcp?key=s3cr3t-6", post));
    expect(error.message).toBe(
      `server "srv": the proxy 127.0.0.1:${port} (HTTPS_PROXY) is not there (ECONNREFUSED)`,
    );
    expect(error.facts).toMatchObject({ sent: false, proxy: `127.0.0.1:${port}` });
    expect(JSON.stringify([error.message, error.facts, error.hint])).not.toContain("s3cr3t");
  });

  test("a proxy that refuses the way says so", async () => {
    await using far = await proxyServer(0);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${far.port}` };
    using fetch = fetchOf({ env });
    const error = await errorOf(fetch("https://far.invalid/mcp", post));
    expect(error.message).toBe(
      `server "srv": the proxy 127.0.0.1:${far.port} (HTTPS_PROXY) refused the way to far.invalid: status 407`,
    );
    expect(error.facts).toMatchObject({ sent: false, httpStatus: 407 });
    expect(error.hint).toContain("USER:PASSWORD@");
  });
});

/** A proxy that forwards and tunnels all to one port of this machine; 0: it refuses tunnels. */
async function proxyServer(target?: number) {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(
      `${incoming.method} ${incoming.url} ${userOf(incoming.headers["proxy-authorization"])}`,
    );
    outgoing.end(`forwarded ${incoming.headers.host}`);
  });
  const sockets = new Set<Socket>();
  server.on("connect", (incoming, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url} ${userOf(incoming.headers["proxy-authorization"])}`);
    if (!target)
      return socket.end(
        "HTTP/1.1 407 Who are you\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n",
      );
    const far = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      far.pipe(socket).pipe(far);
    });
    for (const one of [far, socket]) {
      sockets.add(one);
      one.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function userOf(header: string | undefined): string {
  return Buffer.from((header ?? "").replace("Basic ", ""), "base64").toString();
}
