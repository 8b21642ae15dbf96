/** Servers that are reached by a URL, on the command line: flags, configs, certificates, proxies, trust, and secrets. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { closedPort, httpServer, pemPath, tlsServer } from "../transport/fetch-kit.ts";

setDefaultTimeout(30_000);

interface Asked {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
}

const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const tools = ["echo", "header", "bomb"].map((name) => ({ name, inputSchema }));

/** A small MCP server of the legacy era: `echo` its text, `header` the X-Key it got, `bomb` a large answer, packed. */
async function answer(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method, params } = (await request.json()) as Asked;
  if (id === undefined) return new Response(null, { status: 202 });
  const reply = (result: unknown) => Response.json({ jsonrpc: "2.0", id, result });
  if (method === "initialize")
    return reply({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "small", version: "1" },
    });
  if (method === "tools/list") return reply({ tools });
  const tool = (params as { name?: string } | undefined)?.name;
  const texts = { echo: params?.arguments?.text, header: request.headers.get("x-key") };
  if (method === "tools/call" && tool === "bomb")
    return new Response(
      gzipSync(JSON.stringify({ jsonrpc: "2.0", id, result: { x: " ".repeat(5_000_000) } })),
      { headers: { "content-encoding": "gzip", "content-type": "application/json" } },
    );
  if (method === "tools/call")
    return reply({ content: [{ type: "text", text: texts[tool as "echo"] ?? "none" }] });
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
}

const json = (mcpServers: object, more: object = {}) => [
  "--config-json",
  JSON.stringify({ mcpServers, ...more }),
];

describe.concurrent("a URL", () => {
  test("is called and listed as any other server", async () => {
    await using server = httpServer(answer);
    const run = await mcphost("call", "echo", "text=hi", "-s", `web=${server.url}`).run();
    expectRun(run, { stdout: "hi\n" });
    const list = await mcphost("servers", "--check", "-s", `web=${server.url}`).run();
    expectRun(list, { stdout: /\nweb {3}http {2}ready {2}legacy 20\S+ +3 {6}--server\n$/ });
  });

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

  test("--header is filled in from our environment and never shown (B007, B095)", async () => {
    await using server = httpServer(answer);
    const words = ["header", "--header", "X-Key: ${KEY}", "-s", server.url];
    const run = await mcphost("call", ...words)
      .env({ KEY: "s3cr3t-1" })
      .run();
    expectRun(run, { stdout: "s3cr3t-1\n" });
    const unset = await mcphost("call", ...words).run();
    expect(unset.code).toBe(2);
    expect(unset.stderr).toContain("headers.X-Key: the environment variable KEY is not set");
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

  test("two on one machine are two servers, with names of their own", async () => {
    await using one = httpServer(answer);
    await using two = httpServer(answer);
    const urls = ["-s", one.url, "-s", two.url];
    const run = await mcphost("tools", "echo", ...urls).run();
    expectRun(run, { stdout: "localhost_echo(text?: string)\nlocalhost-2_echo(text?: string)\n" });
    const known = [
      "-s",
      "localhost=x",
      "--config-json",
      '{"mcpServers":{"localhost-2":{"command":"x"}}}',
    ];
    const more = await mcphost("servers", "--json", ...urls, ...known, "-s", one.url).run();
    const names = JSON.parse(more.stdout).map(({ name }: { name: string }) => name);
    expect(names).toEqual(["localhost-2", "localhost-3", "localhost-4", "localhost"]);
  });

  test.each([
    ["tools http://127.0.0.1:9/mcp", "the address of a server is given by -s URL"],
    ["doctor http://127.0.0.1:9/mcp", "the address of a server is given by -s URL"],
    ["servers http://127.0.0.1:9/mcp", "the address of a server is given by -s URL"],
    ["tools -- http://127.0.0.1:9/mcp", "named by -s URL, before --"],
    ["call echo -- http://127.0.0.1:9/mcp", "named by -s URL, before --"],
    ["tee wire.log -- http://127.0.0.1:9/mcp", "named by -s URL, before --"],
    ["http://127.0.0.1:9/mcp", "a server is reached by mcphost tools -s http://127.0.0.1:9/mcp"],
  ])("in the wrong place gets a hint: %s", async (words, hint) => {
    await using dir = await tempDir();
    const run = await mcphost(...words.split(" "))
      .cwd(dir.path)
      .run();
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(hint);
  });

  test("on this machine is not looked for through a proxy (B035)", async () => {
    await using server = httpServer(answer);
    const dead = `http://127.0.0.1:${await closedPort()}`;
    const env = { HTTP_PROXY: dead, http_proxy: dead, ALL_PROXY: dead };
    const run = await mcphost("call", "echo", "text=hi", "-s", server.url).env(env).run();
    expectRun(run, { stdout: "hi\n" });
    const far = await mcphost("tools", "-s", "http://far.invalid/mcp").env(env).run();
    expect(far.code).toBe(3);
    expect(far.stderr).toContain(`the proxy ${dead.slice(7)} (http_proxy) is not there`);
  });
});

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

test("an entry that was found waits for trust, and the question tells what is sent where", async () => {
  await using server = httpServer(answer);
  await using project = await tempDir();
  await using home = await tempDir();
  const entry = { url: server.url, headers: { "X-Key": "Bearer ${KEY}" } };
  await Bun.write(project.file("mcphost.json"), JSON.stringify({ mcpServers: { web: entry } }));
  const at = (...words: string[]) =>
    mcphost(...words)
      .cwd(project.path)
      .home(home.path)
      .env({ KEY: "k3y-value" });
  expect((await at("call", "echo", "text=hi").run()).code).toBe(5);
  const listed = await at("servers", "--json").run();
  expect(JSON.parse(listed.stdout)[0]).toMatchObject({ kind: "http", state: "untrusted" });
  const yes = await at("trust", "--yes").run();
  expect(yes.stderr).toContain(`  reaches ${server.url}\n  headers X-Key (\${KEY})\n`);
  expectRun(await at("call", "header").run(), { stdout: "Bearer k3y-value\n" });
});
