/** Servers added, changed and removed while `serve` runs: in their file, by whoever may, and never over somebody's edit. */
import { describe, expect, test } from "bun:test";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

import { readRevised, replaceText } from "../../lib/config/edit-file.ts";
import { bunAlone, root, tempDir } from "../harness.ts";
import { type Asked, type Configured, entry, logged, serveConfig } from "./config-kit.ts";
import { serveProgram } from "./program-kit.ts";

const commented = (servers: object) =>
  `// mine\n{\n  "mcpServers": ${JSON.stringify(servers)}, // those\n  "theirs": [1, 2]\n}\n`;

/** An edit of the revision that there is. */
async function edit(it: Configured, method: string, path: string, json?: object, more: Asked = {}) {
  const { etag } = await it.decide("/servers");
  const headers = { "if-match": etag ?? "" };
  return await it.decide(path, { method, ...(json && { json }), headers, ...more });
}

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

describe("a revision", () => {
  test("must be named, and be the one that there is", async () => {
    await using it = await serveConfig(commented({ a: entry() }));
    const json = { name: "b", server: entry() };
    const none = await it.decide("/servers", { json });
    expect([none.status, none.body.error.code]).toEqual([428, "precondition_required"]);
    const unquoted = await it.decide("/servers", { json, headers: { "if-match": "x" } });
    expect([unquoted.status, unquoted.body.error.message]).toEqual([
      400,
      "If-Match must be an ETag within its quotes",
    ]);
    for (const tag of ["*", ""])
      expect((await it.decide("/servers", { json, headers: { "if-match": tag } })).status).toBe(
        428,
      );
    const { etag } = await it.decide("/servers");
    const old = await it.decide("/servers", { json, headers: { "if-match": '"x"' } });
    expect([old.status, old.body.error.code]).toEqual([409, "conflict"]);
    expect(old.body.error.hint).toContain("GET /servers");
    const noObject = { ...json, server: 1, revision: "x" };
    expect((await it.decide("/servers", { json: noObject })).body.error.message).toBe(
      "server must be an object",
    );
    expect([`"${old.body.error.revision}"`, old.etag]).toEqual([etag, etag]);
    const inBody = await it.decide("/servers", { json: { ...json, revision: etag!.slice(1, -1) } });
    expect(inBody.status).toBe(201);
    expect((await it.decide("/servers")).etag).toBe(`"${inBody.body.revision}"`);
  });

  test("of two that edit at once one is told; so is one who edits after a person did", async () => {
    await using it = await serveConfig(commented({ a: entry() }));
    const { etag } = await it.decide("/servers");
    const headers = { "if-match": etag! };
    const answers = await Promise.all(
      ["b", "c", "d"].map((name) =>
        it.decide("/servers", { json: { name, server: entry() }, headers }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const now = await readFile(it.file, "utf8");
    await it.write(now.replace("// mine", "// mine alone"));
    const late = await it.decide("/servers/a", {
      method: "DELETE",
      headers: { "if-match": `"${answers.find(({ status }) => status === 201)!.body.revision}"` },
    });
    expect(late.status).toBe(409);
    expect(await readFile(it.file, "utf8")).toStartWith("// mine alone");
  });

  test("is looked at right before the file is replaced, whoever wrote there", async () => {
    await using folder = await tempDir();
    const file = folder.file("c.json");
    await writeFile(file, "old", { mode: 0o600 });
    const { revision } = await readRevised(file, "c.json");
    await writeFile(file, "another's");
    const late = replaceText(file, "mine", { label: "c.json", revision });
    expect(late).rejects.toMatchObject({ code: "usage", facts: { problem: "stale" } });
    await late.catch(() => {});
    expect(await readFile(file, "utf8")).toBe("another's");
    const { revision: now } = await readRevised(file, "c.json");
    expect(await replaceText(file, "mine", { label: "c.json", revision: now })).toBe(
      (await readRevised(file, "c.json")).revision,
    );
    expect(await readdir(folder.path)).toEqual(["c.json"]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe("of us only one at a time writes", () => {
  test("of many that saw one revision, in whatever process, one wins", async () => {
    await using folder = await tempDir();
    const file = folder.file("c.json");
    await writeFile(file, "0");
    const other = `import { replaceText } from ${JSON.stringify(join(root, "lib/config/edit-file.ts"))};
      const [file, revision] = process.argv.slice(-2);
      const at = { label: "c.json", revision };
      const all = Array.from({ length: 20 }, (_, i) => replaceText(file, "other " + i, at).then(() => 1, () => 0));
      console.log((await Promise.all(all)).reduce((sum, one) => sum + one));`;
    for (let round = 0; round < 3; round++) {
      const { revision } = await readRevised(file, "c.json");
      const command = [...bunAlone, "-e", other, file, revision];
      const others = [0, 1].map(() => new Response(Bun.spawn(command).stdout).text());
      const mine = Array.from({ length: 20 }, (_, i) =>
        replaceText(file, `mine ${round} ${i}`, { label: "c.json", revision }).then(
          () => 1,
          () => 0,
        ),
      );
      const wins = [...(await Promise.all(mine)), ...(await Promise.all(others)).map(Number)];
      expect(wins.reduce((sum, one) => sum + one)).toBe(1);
    }
    expect(await readdir(folder.path)).toEqual(["c.json"]);
  });

  test("what a crash has left is in nobody's way for long", async () => {
    await using folder = await tempDir();
    const file = folder.file("c.json");
    await writeFile(file, "0");
    await writeFile(`${file}.mcphost.tmp`, "half");
    const { revision } = await readRevised(file, "c.json");
    const early = replaceText(file, "1", { label: "c.json", revision });
    expect(early).rejects.toMatchObject({ code: "output" });
    await early.catch(() => {});
    const old = new Date(Date.now() - 60_000);
    await utimes(`${file}.mcphost.tmp`, old, old);
    const next = await replaceText(file, "1", { label: "c.json", revision });
    expect(await readFile(file, "utf8")).toBe("1");
    await writeFile(`${file}.mcphost.tmp`, "half");
    // Left before the clock was set back.
    const future = new Date(Date.now() + 86_400_000);
    await utimes(`${file}.mcphost.tmp`, future, future);
    await replaceText(file, "2", { label: "c.json", revision: next });
    expect(await readFile(file, "utf8")).toBe("2");
  });
});

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

describe("where it is written", () => {
  test("without -c: the user's own file, made where there is none, never a project's", async () => {
    await using folder = await tempDir();
    await using serve = await serveProgram(
      ["--trust"],
      { XDG_CONFIG_HOME: folder.file("config") },
      // The project is there before serve is.
      [
        "sh",
        "-c",
        `echo '${JSON.stringify({ mcpServers: { theirs: entry() } })}' > mcphost.json; exec "$0" "$@"`,
      ],
    );
    const key = (await Bun.file(serve.keyFile).text()).trim();
    const ask = async (method: string, path: string, body?: object) => {
      const authorization = `Bearer ${key}`;
      const now = await fetch(`${serve.url}/servers`, { headers: { authorization } });
      const answer = await fetch(serve.url + path, {
        method,
        headers: {
          authorization,
          "content-type": "application/json",
          "if-match": now.headers.get("etag") ?? "",
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const added = await ask("POST", "/servers", { name: "mine", server: entry() });
    expect([added.status, added.body.added]).toEqual([201, ["mine"]]);
    const file = folder.file("config/mcphost/config.json");
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")).mcpServers)).toEqual(["mine"]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const theirs = await ask("PATCH", "/servers/theirs", { server: { disabled: true } });
    expect([theirs.status, theirs.body.error.message]).toEqual([
      409,
      'server "theirs" stands in mcphost.json',
    ]);
    expect((await ask("POST", "/servers", { name: "theirs", server: entry() })).status).toBe(409);
    // The new file is watched from then on.
    const { mcpServers } = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ mcpServers: { ...mcpServers, more: entry() } }));
    expect((await ask("DELETE", "/servers/more")).status).toBe(200);
  });

  test("through a link: what it points to is written, and the link stays", async () => {
    await using folder = await tempDir();
    await mkdir(folder.file("real"));
    await writeFile(folder.file("real/c.json"), commented({ a: entry() }));
    await symlink(folder.file("real/c.json"), folder.file("c.json"));
    const { revision } = await readRevised(folder.file("c.json"), "c.json");
    await replaceText(folder.file("c.json"), "{}", { label: "c.json", revision });
    expect((await lstat(folder.file("c.json"))).isSymbolicLink()).toBe(true);
    expect(await readFile(folder.file("real/c.json"), "utf8")).toBe("{}");
  });

  test("a file that cannot be written is an error, and stays", async () => {
    const file = "/proc/version";
    const { revision } = await readRevised(file, "version");
    const failing = replaceText(file, "{}", { label: "version", revision });
    expect(failing).rejects.toMatchObject({ code: "output" });
    await failing.catch(() => {});
  });
});
