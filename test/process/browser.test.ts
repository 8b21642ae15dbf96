/** How a URL is handed to the person's browser: as one argument, without a shell, and without waiting for long. */
import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";

import { browserCommand, hasBrowser, openBrowser } from "../../lib/process/browser.ts";
import { tempDir } from "../harness.ts";

const url = "https://example.com/?a=$(id)&b='c d'\"";

test.each([
  ["linux", ["xdg-open", url]],
  ["darwin", ["open", url]],
  ["win32", ["rundll32", "url.dll,FileProtocolHandler", url]],
] as const)("on %s", (platform, argv) => {
  expect(browserCommand(url, platform)).toEqual([...argv]);
});

describe.skipIf(process.platform !== "linux")("on a desktop", () => {
  test.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ DISPLAY: "" }, false],
    [{ DISPLAY: ":0" }, true],
    [{ WAYLAND_DISPLAY: "wayland-0" }, true],
    [{ BROWSER: "lynx" }, true],
  ])("%j: %p", (env, has) => {
    expect(hasBrowser(env)).toBe(has);
  });

  test.each([
    ["exit 0", true],
    ["exit 3", false],
    ["sleep 3", true],
  ])("an opener that does `%s`: %p", async (script, opened) => {
    await using dir = await tempDir();
    const opener = dir.file("xdg-open");
    await Bun.write(
      opener,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${dir.file("got")}'\n${script}\n`,
    );
    await chmod(opener, 0o755);
    const env = { PATH: `${dir.path}:/usr/bin:/bin` };
    expect(await openBrowser(url, env)).toBe(opened);
    expect(await Bun.file(dir.file("got")).text()).toBe(`1\n${url}\n`);
  });

  test("none at all", async () => {
    await using dir = await tempDir();
    expect(await openBrowser(url, { PATH: dir.path })).toBe(false);
  });
});
