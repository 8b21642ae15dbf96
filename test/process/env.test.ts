import { describe, expect, test } from "bun:test";

import { childEnv } from "../../lib/process/env.ts";

const ours = {
  PATH: "/bin",
  HOME: "/home/me",
  LC_ALL: "C",
  XDG_CACHE_HOME: "/c",
  https_proxy: "http://p",
  AWS_SECRET_ACCESS_KEY: "secret",
  UNSET: undefined,
};
const base = {
  PATH: "/bin",
  HOME: "/home/me",
  LC_ALL: "C",
  XDG_CACHE_HOME: "/c",
  https_proxy: "http://p",
};

describe("the environment of a server (B010)", () => {
  test.each<[string, Record<string, string | null> | undefined, Record<string, string>]>([
    ["nothing configured", undefined, base],
    ["one more", { A: "1" }, { ...base, A: "1" }],
    ["an empty value", { A: "" }, { ...base, A: "" }],
    ["another PATH", { PATH: "/x" }, { ...base, PATH: "/x" }],
    [
      "one unset",
      { LC_ALL: null, NEVER: null },
      { PATH: "/bin", HOME: "/home/me", XDG_CACHE_HOME: "/c", https_proxy: "http://p" },
    ],
  ])("%s", (_, env, wanted) => {
    expect(childEnv(ours, { name: "it", ...(env && { env }) }, "linux")).toEqual(wanted);
  });

  test("all of ours where that is wanted", () => {
    const all = childEnv(ours, { name: "it", inheritEnv: true, env: { HOME: null } }, "linux");
    const { HOME: _, ...rest } = base;
    expect(all).toEqual({ ...rest, AWS_SECRET_ACCESS_KEY: "secret" });
  });

  test.each([
    ["BAD=K", "v", 'the environment variable "BAD=K" has a name with `=` or NUL in it'],
    ["", "v", 'the environment variable "" has an empty name'],
    ["A\0", null, 'the environment variable "A\\u0000" has a name with `=` or NUL in it'],
    ["A", "a\0b", 'the environment variable "A" has a value with NUL in it'],
  ])("%p: %p is refused by name", (name, value, message) => {
    expect(() => childEnv(ours, { name: "it", env: { [name]: value } })).toThrow(
      expect.objectContaining({
        code: "config",
        message: `server "it": ${message}`,
        facts: { server: "it", variable: name },
      }),
    );
  });

  test("a variable named like a prototype's key is a variable", () => {
    const env = JSON.parse('{"__proto__":"1","constructor":"2"}');
    expect(JSON.stringify(childEnv({}, { name: "it", env }))).toBe(
      '{"__proto__":"1","constructor":"2"}',
    );
  });

  test("on Windows names have no case, and its own base is passed", () => {
    const windows = { Path: "C:\\", SystemRoot: "C:\\Windows", ComSpec: "cmd.exe", Secret: "s" };
    expect(
      childEnv(windows, { name: "it", env: { PATH: "D:\\", comspec: null } }, "win32"),
    ).toEqual({
      SystemRoot: "C:\\Windows",
      PATH: "D:\\",
    });
  });
});
