/** Pages that servers ask us to visit, on a terminal. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";

import { tempDir } from "../harness.ts";
import { answers, call, down, lastJson } from "./elicit-kit.ts";

setDefaultTimeout(30_000);

/** A folder with an `xdg-open` that writes down what it was given. */
async function desktop() {
  const dir = await tempDir();
  const opener = dir.file("xdg-open");
  await Bun.write(opener, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${dir.file("opened")}'\n`);
  await chmod(opener, 0o755);
  return {
    env: { PATH: `${dir.path}:${process.env["PATH"]}`, DISPLAY: ":0" },
    opened: async () => await Bun.file(dir.file("opened")).text(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe("a page to visit", () => {
  test.skipIf(process.platform !== "linux")(
    "is shown with its domain, and opened as one argument only when agreed to",
    async () => {
      await using desk = await desktop();
      const url = "https://example.com/a?b=$(id)&c='d';e";
      await using screen = await call("page", `url=${url}`).env(desk.env).terminal();
      await answers(screen, [
        [
          /Server "server" asks you to visit a page: Sign in[^]*domain {2}example.com[^]*Open it/,
          "\r",
        ],
      ]);
      expect(await screen.exited).toBe(0);
      expect(lastJson(screen)).toEqual({ action: "accept" });
      expect(await desk.opened()).toBe(`1\n${new URL(url).href}\n`);
    },
  );

  test("is printed where nothing can open it", async () => {
    const url = "https://example.com/sign-in?state=1";
    await using screen = await call("page", `url=${url}`).terminal();
    await answers(screen, [[/Show it, to be opened by hand/, "\r"]]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(`open this in a browser:\r\n${url}\r\n`);
  });

  test("can be declined", async () => {
    await using screen = await call("page", "url=https://example.com/").terminal();
    await answers(screen, [[/domain {2}example.com/, `${down}\r`]]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "decline" });
  });

  test.each([
    ["https://xn--80ak6aa92e.com/", /careful the domain is spelt with other letters[^]*аррӏе\.com/],
    ["https://аррӏе.com/", /domain {2}xn--80ak6aa92e\.com[^]*careful/],
    [
      "https://google.com@203.0.113.7:8443/",
      /domain {2}203\.0\.113\.7:8443[^]*before the @[^]*bare network address[^]*port 8443/,
    ],
    ["http://127.0.0.1/x", /careful it leads to this computer itself/],
  ])("%s is marked as odd", async (url, pattern) => {
    await using screen = await call("page", `url=${url}`).terminal();
    await answers(screen, [[pattern, `${down}\r`]]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "decline" });
  });

  test.each(["http://example.com/", "javascript:alert(1)", "file:///etc/passwd"])(
    "%s is declined without a question, and that is said",
    async (url) => {
      await using screen = await call("page", `url=${url}`).terminal();
      expect(await screen.exited).toBe(0);
      expect(lastJson(screen)).toEqual({ action: "decline" });
      expect(screen.text()).toMatch(
        /warning: \[server\] the URL that it wants to have opened[^]*declined/,
      );
    },
  );

  test("asked for again, it can be said to be done", async () => {
    await using screen = await call("page", "url=https://example.com/", "times:=2").terminal();
    await answers(screen, [
      [/asks you to visit/, "\r"],
      [/still waits for a page[^]*It is done: go on/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "accept" });
  });

  test("that an error asks for (-32042): visited, and the call is made again when the server tells", async () => {
    await using screen = await call("gate", "url=https://example.com/pay", "ms:=1500").terminal();
    await answers(screen, [[/visit a page: Pay first/, "\r"]]);
    await screen.shows(/Server "server" goes on once that is done/);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain("let in");
  });

  test("where the server tells nothing, the person does", async () => {
    await using screen = await call("gate", "url=https://example.com/pay").terminal();
    await answers(screen, [
      [/visit a page: Pay first/, "\r"],
      [/goes on once that is done[^]*It is done/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain("let in");
  });

  test("Ctrl-C ends that wait, and the command", async () => {
    await using screen = await call("gate", "url=https://example.com/pay").terminal();
    await answers(screen, [
      [/visit a page: Pay first/, "\r"],
      [/goes on once that is done[^]*It is done/, "\u0003"],
    ]);
    expect(await screen.exited).toBe(130);
  });
});
