/** Edits over HTTP that try to make of the config what it is not. */
import { expect, test } from "bun:test";

import { entry, serveConfig } from "./config-kit.ts";

test("the name of a server that stands in its entry is not changed from here", async () => {
  const servers = [{ id: "one", ...entry() }];
  await using it = await serveConfig({ servers });
  for (const keys of [{ id: "two" }, { name: "two" }, { id: null }]) {
    const { etag } = await it.decide("/servers");
    const { status, body } = await it.decide("/servers/one", {
      method: "PATCH",
      json: { server: keys },
      headers: { "if-match": etag! },
    });
    expect({ keys, status, code: body.error.code }).toEqual({
      keys,
      status: 400,
      code: "bad_request",
    });
  }
  expect(await Bun.file(it.file).json()).toEqual({ servers });
});

test("a name that is no text of Unicode is no name, and changes nothing", async () => {
  await using it = await serveConfig({ mcpServers: { one: entry() } });
  const before = await Bun.file(it.file).text();
  const { etag } = await it.decide("/servers");
  const { status } = await it.decide("/servers", {
    json: { name: "\ud800", server: entry() },
    headers: { "if-match": etag! },
  });
  expect(status).toBe(400);
  expect(await Bun.file(it.file).text()).toBe(before);
});

test("warnings of an edit show no folders", async () => {
  await using it = await serveConfig({ mcpServers: { one: entry() } });
  const { etag } = await it.decide("/servers");
  const { body } = await it.decide("/servers/one", {
    method: "PATCH",
    json: { server: { odd: 1 } },
    headers: { "if-match": etag! },
  });
  expect(body.warnings).toEqual([expect.stringContaining('"odd"')]);
  expect(JSON.stringify(body)).not.toContain(it.folder.path);
});
