/** The ordinary request: the headers of the config and of the address, and what no header can hold. */
import { describe, expect, test } from "bun:test";

import { createFetch } from "../../lib/transport/fetch.ts";
import { fetchOf, httpServer, post } from "./fetch-kit.ts";

/** The headers that the server got. */
const seenBy = async (response: Promise<Response>) =>
  (await (await response).json()) as Record<string, string>;

const echo = (request: Request) => Response.json(Object.fromEntries(request.headers));

describe("headers", () => {
  test("of the config are under those of the request", async () => {
    await using server = httpServer(echo);
    using fetch = fetchOf({
      headers: { "X-Org": "one", Accept: "none", Authorization: "Bearer t" },
    });
    const headers = { accept: "application/json", authorization: "Bearer fresh" };
    const seen = await (await fetch(server.url, { ...post, headers })).json();
    expect(seen).toMatchObject({ "x-org": "one", ...headers });
  });

  test.each([
    ["K", "a\r\nX-Evil: 1"],
    ["K", "\u4e2d"],
    ["K ", "v"],
    ["", "v"],
  ])("%j: %j cannot be sent", (name, value) => {
    const make = () => createFetch({ name: "srv", log: () => {}, headers: { [name]: value } });
    expect(make).toThrow(`server "srv": the header ${JSON.stringify(name)} cannot be sent`);
  });

  test("user and password of the address become a header", async () => {
    await using server = httpServer(echo);
    using fetch = fetchOf();
    const url = server.url.replace("://", "://me%40home:p%C3%A4ss@");
    const seen = await seenBy(fetch(url, post));
    expect(Buffer.from(seen["authorization"]!.slice(6), "base64").toString()).toBe("me@home:päss");
    expect(seen["host"]).not.toContain("@");
  });

  test("a configured Authorization wins over the address", async () => {
    await using server = httpServer(echo);
    using fetch = fetchOf({ headers: { Authorization: "Bearer t" } });
    const url = server.url.replace("://", "://u:p@");
    expect((await seenBy(fetch(url, post)))["authorization"]).toBe("Bearer t");
  });
});
