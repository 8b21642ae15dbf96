/** What a config and --header say of headers: what no header can hold, and which one wins. */
import { describe, expect, test } from "bun:test";

import { expandServer } from "../../lib/config/expand.ts";
import type { HttpServer } from "../../lib/config/types.ts";
import { context, read, url } from "./http-kit.ts";
import { errorOf, load } from "./kit.ts";

describe("headers", () => {
  test.each([
    ["a\u0001b", "a control character"],
    ["caf\u00e9 \u4e2d", "a character beyond Latin-1"],
    ["a\nb", "a line end"],
  ])("%j is refused: %s", async (value) => {
    const { server } = await read({ headers: { K: "${VALUE}" } });
    const error = await errorOf(() => expandServer(server, context("/", { VALUE: value })));
    expect(error.message).toStartWith('server "h": headers.K: a header holds no line end');
    expect(error.message).not.toContain(value);
  });

  test("--header goes over those of every server that has any, and is filled in (B007)", async () => {
    const config = await load({
      json: [
        JSON.stringify({
          mcpServers: { a: { url, headers: { authorization: "old" } }, b: { command: "x" } },
        }),
      ],
      cwd: "/",
      flags: { headers: ["Authorization: Bearer ${TOKEN}", "X-Org:  one "] },
    });
    const [a, b] = config.servers;
    const { server } = await expandServer(a as HttpServer, context("/", { TOKEN: "t0ken-1" }));
    expect(server.headers).toEqual({ Authorization: "Bearer t0ken-1", "X-Org": "one" });
    expect(b).not.toHaveProperty("headers");
  });

  test("a malformed --header is not shown", async () => {
    const error = await errorOf(() =>
      load({ servers: [url], cwd: "/", flags: { headers: ["s3cr3t value"] } }),
    );
    expect([error.code, error.message]).toEqual(["usage", "--header is written 'NAME: VALUE'"]);
  });
});
