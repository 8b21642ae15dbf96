/** Our files on disk: how they are written, and where they lie. */
import { expect, test } from "bun:test";
import { lstat, readdir, readFile, stat, symlink } from "node:fs/promises";

import { writePrivate } from "../../lib/config/files.ts";
import {
  baseName,
  folderOf,
  foldersUp,
  ourPaths,
  resolvePath,
  shownPath,
} from "../../lib/config/paths.ts";
import { folderWith } from "./kit.ts";

test("writes for our user alone, whole or not at all, and never through a link", async () => {
  await using folder = await folderWith({ "target.json": "old" });
  await writePrivate(folder.file("new/deep/file.json"), "text");
  expect(await readFile(folder.file("new/deep/file.json"), "utf8")).toBe("text");
  expect((await stat(folder.file("new/deep/file.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(folder.file("new"))).mode & 0o777).toBe(0o700);
  expect(await readdir(folder.file("new/deep"))).toEqual(["file.json"]);
  await symlink("target.json", folder.file("link.json"));
  await writePrivate(folder.file("link.json"), "new");
  expect(await readFile(folder.file("link.json"), "utf8")).toBe("new");
  expect((await lstat(folder.file("link.json"))).isFile()).toBe(true);
  expect(await readFile(folder.file("target.json"), "utf8")).toBe("old");
  await expect(writePrivate(folder.file("target.json/x"), "no")).rejects.toThrow();
  await expect(writePrivate(folder.file("new"), "no")).rejects.toThrow();
  expect((await readdir(folder.path)).toSorted()).toEqual(["link.json", "new", "target.json"]);
});

test("knows where our files lie", () => {
  expect(ourPaths({ HOME: "/h" }, "linux")).toEqual({
    home: "/h",
    config: "/h/.config/mcphost",
    state: "/h/.local/state/mcphost",
    cache: "/h/.cache/mcphost",
  });
  const xdg = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "relative", XDG_CACHE_HOME: "" };
  expect(ourPaths({ HOME: "/h", ...xdg }, "linux")).toMatchObject({
    config: "/c/mcphost",
    state: "/h/.local/state/mcphost",
    cache: "/h/.cache/mcphost",
  });
  expect(ourPaths({}, "linux")).toEqual({
    home: undefined,
    config: undefined,
    state: undefined,
    cache: undefined,
  });
  const windows = {
    USERPROFILE: "C:\\U\\me",
    APPDATA: "C:\\U\\me\\R",
    LOCALAPPDATA: "C:\\U\\me\\L",
  };
  expect(ourPaths(windows, "win32")).toEqual({
    home: "C:\\U\\me",
    config: "C:\\U\\me\\R/mcphost",
    state: "C:\\U\\me\\L/mcphost",
    cache: "C:\\U\\me\\L/Temp/mcphost",
  });
});

test("does its arithmetic over paths", () => {
  expect(["/a/b", "/a", "/", "a", "C:\\a\\b", "C:\\a"].map(folderOf)).toEqual([
    "/a",
    "/",
    "/",
    ".",
    "C:\\a",
    "C:\\",
  ]);
  expect(foldersUp("/a/b")).toEqual(["/a/b", "/a", "/"]);
  expect(resolvePath("/a/b", "../c/./d//e")).toBe("/a/c/d/e");
  expect(resolvePath("/a", "/x/../y")).toBe("/y");
  expect(resolvePath("/a", "../../..")).toBe("/");
  expect(resolvePath("/a", "b\\c")).toBe("/a/b\\c");
  expect(resolvePath("C:\\a", "..\\b")).toBe("C:\\b");
  expect(baseName("/a/b.c")).toBe("b.c");
  expect(shownPath("/a/b/c", "/a/b", "/a")).toBe("c");
  expect(shownPath("/a/x", "/a/b", "/a")).toBe("~/x");
  expect(shownPath("/x", "/", "/")).toBe("/x");
});
