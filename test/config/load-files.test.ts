/** Files of a config that are missing, broken, pipes or devices. */
import { expect, test } from "bun:test";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, root } from "../harness.ts";
import { errorOf, folderWith, load, one } from "./kit.ts";

test("says which file is missing, unreadable or no text", async () => {
  await using folder = await folderWith({ "secret.json": "{}", "folder/x": "" });
  const of = (file: string) => errorOf(() => load({ cwd: folder.path, files: [file] }));
  expect((await of("none.json")).message).toBe("there is no file none.json");
  expect((await of("folder")).message).toStartWith("folder cannot be read");
  await Bun.write(folder.file("utf16.json"), new Uint8Array([0xff, 0xfe, 0x7b, 0]));
  expect((await of("utf16.json")).message).toBe("utf16.json is not UTF-8 text");
  await chmod(folder.file("secret.json"), 0);
  if (process.getuid?.() !== 0)
    expect((await of("secret.json")).message).toBe("secret.json cannot be read (EACCES)");
});

test("a broken file of the user's stops everything: its policy would be lost", async () => {
  await using folder = await folderWith({ "mcphost/config.json": `{"policy": [` });
  const env = { XDG_CONFIG_HOME: folder.path };
  const error = await errorOf(() => load({ cwd: "/", env, rest: ["x"] }));
  expect([error.code, error.facts.line, error.facts.column]).toEqual(["config", 1, 13]);
});

test("a config may come through a pipe, which has to end", async () => {
  await using folder = await folderWith();
  const run = async (script: string) => {
    const code = `const { loadConfig } = await import(${JSON.stringify(join(root, "lib/config/load.ts"))});
      const config = await loadConfig({ files: [process.argv.at(-1)], cwd: "/", env: {}, noUserConfig: true })
        .catch((error) => ({ servers: [{ name: error.message }] }));
      console.log(config.servers[0].name); process.exit();`;
    await writeFile(folder.file("load.ts"), code);
    const words = ["sh", "-c", script, "sh", folder.file("pipe"), ...bunAlone];
    const proc = Bun.spawn([...words, folder.file("load.ts")], { stdin: "ignore", stdout: "pipe" });
    return (await proc.stdout.text()).trim();
  };
  expect(await run(`shift; echo '${one("piped")}' | "$@" /dev/stdin`)).toBe("piped");
  expect(
    await run(`mkfifo "$1"; pipe=$1; shift; { echo '${one("named")}' > "$pipe" & }; "$@" "$pipe"`),
  ).toBe("named");
  expect(await run(`pipe=$1; shift; "$@" "$pipe"`)).toEndWith(
    "/pipe cannot be read: nothing ended this pipe within 5000 ms",
  );
}, 20_000);

test.each(["/dev/zero", "/dev/null"])("a config is no device: %s", async (file) => {
  const error = await errorOf(() => load({ files: [file], cwd: "/" }));
  expect(error.message).toBe(`${file} cannot be read: it is a device, not a file`);
});
