/** Which file an edit of the config writes, and one that cannot be written. */
import { describe, expect, test } from "bun:test";
import { lstat, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";

import { readRevised, replaceText } from "../../lib/config/edit-file.ts";
import { tempDir } from "../harness.ts";
import { entry } from "./config-kit.ts";
import { serveProgram } from "./program-kit.ts";
import { commented } from "./servers-edit-kit.ts";

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
