/** Edits of the config name the revision that they saw: of two at once one is told, and nobody's edit is lost. */
import { describe, expect, test } from "bun:test";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { readRevised, replaceText } from "../../lib/config/edit-file.ts";
import { bunAlone, root, tempDir } from "../harness.ts";
import { entry, serveConfig } from "./config-kit.ts";
import { commented } from "./servers-edit-kit.ts";

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
