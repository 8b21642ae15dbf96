/** Servers that are reached by a URL, on the command line: flags, names, proxies, trust, and secrets. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { closedPort, httpServer } from "../transport/fetch-kit.ts";
import { answer } from "./remote-kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("a URL", () => {
  test("is called and listed as any other server", async () => {
    await using server = httpServer(answer);
    const run = await mcphost("call", "echo", "text=hi", "-s", `web=${server.url}`).run();
    expectRun(run, { stdout: "hi\n" });
    const list = await mcphost("servers", "--check", "-s", `web=${server.url}`).run();
    expectRun(list, { stdout: /\nweb {3}http {2}ready {2}legacy 20\S+ +3 {6}--server\n$/ });
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
