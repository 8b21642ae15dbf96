/** What a request ends in when its server is not reached in time, and whether it may have been sent. */
import { describe, expect, test } from "bun:test";

import { unreachable } from "../../lib/transport/fetch-connect.ts";
import { networkError } from "../../lib/transport/fetch-errors.ts";
import { closedPort, errorOf, fetchOf, httpServer, post, rawServer } from "./fetch-kit.ts";

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

/** A body in two pieces, with a pause between them. */
async function* slowly() {
  yield "a";
  await Bun.sleep(300);
  yield "b";
}
