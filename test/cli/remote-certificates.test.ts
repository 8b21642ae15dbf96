/** Certificates of servers by a URL, on the command line. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { pemPath, tlsServer } from "../transport/fetch-kit.ts";
import { answer, json } from "./remote-kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("certificates (B050)", () => {
  test("nobody vouched for: what to set is said, and works", async () => {
    await using server = await tlsServer("server", {}, answer);
    const bad = await mcphost("tools", "-s", `web=${server.url}`).run();
    expect(bad.code).toBe(3);
    expect(bad.stderr).toContain("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    expect(bad.stderr).toContain("set tls.ca of the server (or NODE_EXTRA_CA_CERTS)");
    const env = { NODE_EXTRA_CA_CERTS: pemPath("ca.pem") };
    const words = ["call", "echo", "text=hi"];
    const extra = await mcphost(...words, "-s", server.url)
      .env(env)
      .run();
    expectRun(extra, { stdout: "hi\n" });
    await using dir = await tempDir();
    await Bun.write(dir.file("ca.pem"), Bun.file(pemPath("ca.pem")));
    const config = { mcpServers: { web: { url: server.url, tls: { ca: "ca.pem" } } } };
    await Bun.write(dir.file("c.json"), JSON.stringify(config));
    expectRun(await mcphost(...words, "-c", dir.file("c.json")).run(), { stdout: "hi\n" });
  });

  test("insecure warns each time", async () => {
    await using server = await tlsServer("expired", {}, answer);
    const config = json({ web: { url: server.url, tls: { insecure: true } } });
    for (let n = 0; n < 2; n++)
      expectRun(await mcphost("call", "echo", "text=hi", ...config).run(), {
        stdout: "hi\n",
        stderr: /^[^\n]*web[^\n]*tls\.insecure is set: its certificate is not checked[^\n]*\n$/,
      });
  });
});
