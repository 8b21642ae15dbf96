/** Servers added, changed and removed while `serve` runs: in their file, by whoever may. */
import { describe, expect, test } from "bun:test";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";

import { tempDir } from "../harness.ts";
import { entry, logged, serveConfig } from "./config-kit.ts";
import { commented, edit } from "./servers-edit-kit.ts";

describe("an edit", () => {
  test("adds a server, changes it, takes it out; the file is as it was then", async () => {
    const text = commented({ a: entry() });
    await using it = await serveConfig(text);
    await chmod(it.file, 0o640);
    const pid = await it.call("pid");
    const added = await edit(it, "POST", "/servers", { name: "b", server: entry() });
    expect([added.status, added.body]).toMatchObject([
      201,
      { added: ["b"], removed: [], kept: ["a"], warnings: [], server: { name: "b" } },
    ]);
    expect(added.etag).toBe(`"${added.body.revision}"`);
    expect(await it.call("b_echo", { x: 1 })).toBe('{"x":1}');
    const written = await readFile(it.file, "utf8");
    for (const part of ["// mine\n", "// those\n", '"theirs": [1, 2]'])
      expect(written).toContain(part);
    expect((await stat(it.file)).mode & 0o777).toBe(0o640);

    const adjusted = await edit(it, "PATCH", "/servers/b", { server: { deniedTools: ["pid"] } });
    expect([adjusted.status, adjusted.body.adjusted]).toEqual([200, ["b"]]);
    expect(await it.call("b_pid")).toStartWith("403 ");
    const changed = await edit(it, "PATCH", "/servers/b", {
      server: { deniedTools: null, env: { A: "1" } },
    });
    expect(changed.body.changed).toEqual(["b"]);
    expect(await it.call("b_pid")).toMatch(/^\d+$/);

    const off = await edit(it, "PATCH", "/servers/b", { server: { disabled: true } });
    expect(off.body.removed).toEqual(["b"]);
    expect((await it.decide("/servers/b")).body).toEqual({ name: "b", state: "disabled" });
    expect((await it.decide("/servers")).body.map(({ state }: any) => state)).toContain("disabled");
    const removed = await edit(it, "DELETE", "/servers/b");
    expect([removed.status, removed.body.kept]).toEqual([200, ["a"]]);
    expect(await readFile(it.file, "utf8")).toBe(text);
    expect(await it.call("pid")).toBe(pid);
    // Nothing is left beside it.
    expect(await readdir(it.folder.path)).toEqual(["servers.json"]);
    expect(await logged(it)).toBe("");
  });

  test("a server may be called as one of our routes is", async () => {
    await using it = await serveConfig(commented({ a: entry(), reload: entry() }));
    expect((await it.decide("/servers/reload")).body).toMatchObject({ name: "reload" });
    const changed = await edit(it, "PATCH", "/servers/reload", { server: { disabled: true } });
    expect(changed.body.removed).toEqual(["reload"]);
    expect((await edit(it, "DELETE", "/servers/reload")).status).toBe(200);
  });

  test("what stands at / names one of our own words only where it is more than a name", async () => {
    await using it = await serveConfig(commented({ a: entry() }));
    const text = await (await it.ask("/")).text();
    expect(text.match(/^.*\/servers\/reload$/gm)).toEqual(["POST   /servers/reload"]);
    expect(text.match(/^.*\/:name$/gm)?.toSorted()).toEqual([
      "DELETE /servers/:name",
      "GET    /servers/:name",
      "PATCH  /servers/:name",
      "POST   /tools/:name",
    ]);
  });

  test("what is odd in it is said, what may be secret is not", async () => {
    await using it = await serveConfig(commented({ a: entry() }));
    const server = { ...entry(), env: { TOKEN: "secret-of-b" }, argz: [] };
    const added = await edit(it, "POST", "/servers", { name: "b", server });
    expect(added.body.warnings).toEqual([
      expect.stringContaining('mcpServers.b: nobody knows the key "argz"; did you mean args?'),
    ]);
    expect(JSON.stringify(added.body)).not.toContain("secret-of-b");
    expect(JSON.stringify((await it.decide("/servers/b")).body)).not.toContain("secret-of-b");
  });

  test("written, but something else keeps it from counting: 202, and why", async () => {
    await using folder = await tempDir();
    const token = folder.file("token");
    await writeFile(token, "secret-of-file", { mode: 0o600 });
    await using it = await serveConfig(commented({ a: entry() }), {
      args: ["--token-file", token],
    });
    await Bun.file(token).delete();
    const added = await edit(it, "POST", "/servers", { name: "b", server: entry() });
    expect([added.status, added.body.error.code]).toEqual([202, "usage"]);
    expect(await readFile(it.file, "utf8")).toContain('"b"');
    await writeFile(token, "secret-of-file", { mode: 0o600 });
    expect((await it.decide("/servers/reload", { method: "POST" })).body.added).toEqual(["b"]);
  });
});

describe("who may", () => {
  test("only with a token or the key, from pages too", async () => {
    await using it = await serveConfig(commented({ a: entry() }), {
      args: ["--origin", "http://page.example"],
    });
    const json = { name: "b", server: entry() };
    const origin = "http://page.example";
    for (const [method, path] of [
      ["POST", "/servers"],
      ["PATCH", "/servers/a"],
      ["DELETE", "/servers/a"],
    ] as const)
      expect((await it.ask(path, { method, json, headers: { origin } })).status).toBe(401);
    const seen = await it.ask("/servers");
    // A revision would tell whether a guess of what stands in the file is right.
    expect([seen.status, seen.headers.get("etag")]).toEqual([200, null]);
    expect(await it.call("echo")).toBe("{}");
  });
});
