/** What nothing answers and what broke: statuses, names that are only names, and errors that give nothing away. */
import { describe, expect, test } from "bun:test";

import { withoutPaths } from "../../lib/serve/http-error.ts";
import { sendRaw } from "./kit.ts";
import { served } from "./served-kit.ts";

describe("what is asked", () => {
  test("404, 405 with what is allowed, HEAD without a body", async () => {
    await using it = served();
    const nothing = await it.ask("/nothing");
    expect([nothing.status, await nothing.json()]).toMatchObject([
      404,
      { error: { code: "not_found" } },
    ]);
    const wrong = await it.ask("/hello", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await wrong.json()).toMatchObject({ error: { code: "method_not_allowed" } });
    const head = await it.ask("/hello", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test.each(["__proto__", "constructor", "toString", "a%2Fb", "%F0%9F%98%80"])(
    "a name is only a name: %s",
    async (name) => {
      await using it = served();
      const answer = await it.ask(`/names/${name}`);
      expect(await answer.text()).toBe(`{"name":${JSON.stringify(decodeURIComponent(name))}}`);
    },
  );

  test("no method is looked for in a prototype", async () => {
    await using it = served();
    const port = it.served.port!;
    for (const method of ["constructor", "__proto__", "TRACE", "toString"]) {
      const said = await sendRaw(
        port,
        `${method} /hello HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
      );
      expect(said).not.toMatch(/^HTTP\/1.1 (2|500)/);
    }
    expect(it.seen.asked).toEqual([]);
  });
});

describe("errors", () => {
  test("say nothing of paths, of a server's stderr or of what broke", async () => {
    await using it = served();
    const fails = await it.ask("/fails");
    expect(fails.status).toBe(502);
    expect(await fails.json()).toEqual({
      error: {
        code: "server_start",
        message: 'server "x" cannot be started: …/x is gone',
        hint: "look into …/x.log",
        server: "x",
      },
    });
    const breaks = await it.ask("/breaks");
    expect(breaks.status).toBe(500);
    expect(await breaks.text()).not.toMatch(/secret|home/);
    // Whoever runs it is told.
    expect(it.logged.map(({ text }) => text)).toContain("GET /breaks: secret of /home/me");
  });

  test("B095 hide what is secret, whatever they are about", async () => {
    await using it = served({ redact: hideStart });
    expect(await (await it.ask("/fails")).text()).toContain('server \\"x\\" cannot be ***ed');
    expect(await (await it.ask("/start")).text()).toContain("nothing is at /***");
    expect(await (await it.ask("/start")).text()).toContain("GET / lists what there is");
  });

  test.each([
    ["open /etc/ssl/x.pem: no", "open …/x.pem: no"],
    ['"/a/b c/d"', '"…/b c/d"'],
    ["at http://localhost:3/mcp/x", "at http://localhost:3/mcp/x"],
    ["a/b and 1/2", "a/b and 1/2"],
    ["/one", "/one"],
  ])("%j is shown as %j", (text, shown) => {
    expect(withoutPaths(text)).toBe(shown);
  });
});

function hideStart(text: string): string {
  return text.replaceAll("start", "***");
}
