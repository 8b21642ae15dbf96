/** MCP over a WebSocket: certificates that are trusted, taken with a warning, and refused. */
import { describe, expect, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import { failure, open } from "./ws-kit.ts";

const pem = (name: string) =>
  Bun.file(new URL(`../fixtures/tls/${name}.pem`, import.meta.url)).text();

const local = (url: string) => url.replace("127.0.0.1", "localhost");

const serve = async (name: string) =>
  await serveRemote({
    transport: "ws",
    tls: { cert: await pem(name), key: await pem(`${name}.key`) },
  });

describe("TLS", () => {
  test("an authority of its own, or any certificate with a warning", async () => {
    await using server = await serve("server");
    await using trusted = await open(local(server.url), { tls: { ca: await pem("ca") } });
    expect(trusted.logs).toEqual([]);
    await using insecure = await open(local(server.url), { tls: { insecure: true } });
    expect(insecure.logs).toMatchObject([{ level: "warn", server: "srv" }]);
    expect(insecure.logs[0]!.text).toContain("not checked");
  });

  test.each([
    ["self-signed", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["expired", "CERT_HAS_EXPIRED"],
    ["wrong-name", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("B050: %s is refused, with the code", async (name, code) => {
    await using server = await serve(name);
    const error = await failure(`${local(server.url)}?key=s3cr3t`, {
      tls: { ca: await pem("ca") },
    });
    expect(error.facts).toMatchObject({ errno: code, sent: false });
    expect(error.hint).toBeDefined();
  });

  test("B050: TLS where none is spoken", async () => {
    await using server = await serveRemote({ transport: "ws" });
    const error = await failure(`${server.url.replace("ws:", "wss:")}?key=s3cr3t`);
    expect(error.facts).toMatchObject({ errno: "EPROTO", sent: false });
  });
});
