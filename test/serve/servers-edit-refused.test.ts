/** Edits of the config that are refused: nothing is written. */
import { describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";

import { tempDir } from "../harness.ts";
import { entry, serveConfig } from "./config-kit.ts";
import { commented, edit } from "./servers-edit-kit.ts";

describe("what is refused, and nothing is written", () => {
  test("a bad entry: the path, and the nearest key", async () => {
    const text = commented({ a: entry() });
    await using it = await serveConfig(text);
    const bad = async (json: object) => {
      const { status, body } = await edit(it, "POST", "/servers", json);
      return [status, body.error.message, body.error.hint ?? ""];
    };
    expect(await bad({ name: "b", server: { comand: "x" } })).toEqual([
      400,
      "mcpServers.b: expected a command or a url, found neither",
      'nobody knows the key "comand"; did you mean command?',
    ]);
    expect(await bad({ name: "b", server: { command: "x", args: "secret-arg" } })).toEqual([
      400,
      "mcpServers.b.args: expected an array of strings, found a string",
      "",
    ]);
    for (const json of [{}, { name: 1, server: {} }, { name: "b" }, { name: "b", server: [] }])
      expect((await bad(json))[0]).toBe(400);
    const patched = await edit(it, "PATCH", "/servers/a", { server: { command: null } });
    expect(patched.status).toBe(400);
    expect(await readFile(it.file, "utf8")).toBe(text);
    expect(await it.call("echo")).toBe("{}");
  });

  test("a name that is there, or is not", async () => {
    await using it = await serveConfig(commented({ alpha: entry() }));
    const again = await edit(it, "POST", "/servers", { name: "alpha", server: entry() });
    expect([again.status, again.body.error.message]).toEqual([
      409,
      expect.stringContaining('has a server "alpha" already'),
    ]);
    const none = await edit(it, "DELETE", "/servers/alpa");
    expect([none.status, none.body.error.nearest]).toEqual([404, ["alpha"]]);
    expect(JSON.stringify(none.body)).not.toContain(it.folder.path);
  });

  test("a file that is broken, until it is mended", async () => {
    await using it = await serveConfig(commented({ a: entry() }));
    await it.write("{ broken");
    const wrong = await edit(it, "POST", "/servers", { name: "b", server: entry() });
    expect([wrong.status, wrong.body.error.code]).toEqual([409, "config"]);
    expect(await readFile(it.file, "utf8")).toBe("{ broken");
  });

  test("servers of the command line, and those beside them", async () => {
    await using folder = await tempDir();
    await writeFile(folder.file("c.json"), commented({ a: entry() }));
    await using mixed = await serveConfig(commented({ a: entry() }), {
      args: ["-s", "flagged=true x"],
    });
    const flagged = await edit(mixed, "DELETE", "/servers/flagged");
    expect([flagged.status, flagged.body.error.message]).toEqual([
      409,
      'server "flagged" was given by --server',
    ]);
    expect(
      (await edit(mixed, "POST", "/servers", { name: "flagged", server: entry() })).status,
    ).toBe(409);
    await using two = await serveConfig(commented({ a: entry() }), {
      args: ["-c", folder.file("c.json")],
    });
    expect((await two.decide("/servers")).etag).toBeNull();
    const beside = await two.decide("/servers", {
      json: { name: "b", server: entry(), revision: "none" },
    });
    expect([beside.status, beside.body.error.hint]).toEqual([409, "name one file: -c FILE"]);
  });
});
