/** Servers by a URL that cannot be used: what the command line says of it, and what it does not show. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { closedPort, httpServer } from "../transport/fetch-kit.ts";
import { answer, json } from "./remote-kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("a URL", () => {
  test.each(["http", "sse", "ws"])(
    "that never says a word ends with --timeout (%s)",
    async (way) => {
      await using silent = httpServer(() => Promise.withResolvers<Response>().promise);
      const url = way === "ws" ? silent.url.replace("http", "ws") : silent.url;
      const config = json({ web: { url, type: way, startTimeoutMs: 30_000 } });
      const runs = [
        mcphost("call", "echo", "--timeout", "0.3", "-s", `web:${way}:${url}`).run(),
        mcphost("call", "echo", "--no-validate", "--timeout", "300ms", ...config).run(),
        mcphost("call", "echo", ...json({ web: { url, type: way, timeoutMs: 300 } })).run(),
      ];
      for (const run of await Promise.all(runs)) {
        expect(run).toMatchObject({ code: 3, stdout: "" });
        expect(run.stderr).toMatch(
          /^mcphost: server "web" (did not|named no) .* (in|within) (0\.\d s|300 ms)\n/,
        );
        expect(run.stderr).toContain("timeoutMs");
      }
    },
  );

  test("where nothing listens is exit 3, without path, query and credentials (B095)", async () => {
    const port = await closedPort();
    const url = `http://user:s3cr3t-5@127.0.0.1:${port}/mcp?key=s3cr3t-6`;
    const config = json({ web: { url, headers: { Authorization: "Bearer s3cr3t-4" } } });
    for (const level of ["info", "debug"]) {
      const run = await mcphost("tools", "--log-level", level, ...config).run();
      expect(run.code).toBe(3);
      expect(run.stderr).toContain(`nothing listens on 127.0.0.1:${port} (ECONNREFUSED)`);
      expect(run.stdout + run.stderr).not.toContain("s3cr3t");
    }
    const asJson = await mcphost("call", "echo", "--json", ...config).run();
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: "server_start",
      errno: "ECONNREFUSED",
      port,
    });
  });

  test("a compressed answer that is too large is an error, and the next call works", async () => {
    await using server = httpServer(answer);
    const limits = { limits: { responseBytesMax: 1_000_000 } };
    const config = json({ web: { url: server.url } }, limits);
    const run = await mcphost("call", "bomb", ...config).run();
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("longer than the limit of 1000000 bytes");
    expectRun(await mcphost("call", "echo", "text=hi", ...config).run(), { stdout: "hi\n" });
  });

  test("answers that are broken alike are told of once", async () => {
    await using server = httpServer(
      () => new Response('{"jsonrpc":', { headers: { "content-type": "application/json" } }),
    );
    const run = await mcphost("call", "x", "-s", `web=${server.url}`).run();
    expect(run.code).toBe(3);
    expect(run.stderr.match(/no message/g)).toHaveLength(1);
  });

  test("a redirect to another origin is exit 3 and says where it leads", async () => {
    await using server = httpServer(
      () => new Response(null, { status: 308, headers: { location: "https://other.invalid/mcp" } }),
    );
    const run = await mcphost("tools", "-s", `web=${server.url}`).run();
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("redirects to https://other.invalid/mcp\n");
  });

  test("a sign-in is exit 7, whatever asks, where nothing else is wrong", async () => {
    await using server = httpServer(() => new Response("who?", { status: 401 }));
    const web = ["-s", `web=${server.url}`];
    const asked = ["call x", "tools", "resources", "servers --check", "doctor", "subscribe"];
    const codes = asked.map(async (words) => {
      const run = await mcphost(...words.split(" "), ...web).run();
      return run.code;
    });
    expect(await Promise.all(codes)).toEqual(asked.map(() => 7));
    const doctor = await mcphost("doctor", "--json", ...web).run();
    expect(JSON.parse(doctor.stdout)[0].findings[0].code).toBe("auth_required");
    for (const words of ["tools", "doctor", "servers --check"]) {
      const dead = ["-s", `dead=http://127.0.0.1:${await closedPort()}/`];
      expect((await mcphost(...words.split(" "), ...web, ...dead).run()).code).toBe(3);
    }
  });

  test("credentials that a server throws back are masked, and said to be refused", async () => {
    await using server = httpServer(
      ({ headers }) => new Response(`bad ${headers.get("authorization")}`, { status: 401 }),
    );
    const inUrl = server.url.replace("http://", "http://user:pa55word99@");
    const refused =
      "  the credentials that it was given are refused: are they right, and do they still hold?";
    const run = await mcphost("call", "x", "-s", `web=${inUrl}`).run();
    expectRun(run, { code: 7, stderr: /: bad Basic \*+=*\n {2}the credentials/ });
    const header = ["--header", "Authorization: Bearer wrongtoken"];
    const given = await mcphost("call", "x", "-s", `web=${server.url}`, ...header).run();
    expectRun(given, { code: 7, stderr: /: bad \*\*\*\n/ });
    expect(given.stderr).toContain(refused);
  });

  test("404 names the address, and a transport that was said and not found out", async () => {
    await using server = httpServer(() => new Response("nope", { status: 404 }));
    const run = await mcphost("call", "x", "-s", `web:http:${server.url}?key=s3cr3t`).run();
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`there is no MCP at ${server.url}: most servers answer at /mcp`);
    expect(run.stderr).toContain('; it was asked by the transport "http", as written');
    const found = await mcphost("call", "x", "-s", `web=${server.url}`).run();
    expect(found.stderr).not.toContain("as written");
  });
});
