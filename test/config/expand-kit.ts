/** What the tests of expansion share: servers with a few fields, and a world in which they are expanded. */
import type { Origin } from "../../lib/config/origin.ts";
import type { HttpServer, StdioServer } from "../../lib/config/types.ts";
import type { ExpandContext } from "../../lib/config/values.ts";

/** Where the servers below were written. */
export const origin: Origin = { file: "/conf/servers.json", label: "servers.json", kind: "named" };

/** A server over stdio with these fields. */
export function stdio(fields: Partial<StdioServer> = {}): StdioServer {
  return {
    name: "s",
    origin,
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    kind: "stdio",
    command: "c",
    args: [],
    env: {},
    ...fields,
  };
}

/** A server over HTTP with these fields. */
export function http(fields: Partial<HttpServer> = {}): HttpServer {
  return {
    name: "h",
    origin,
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    kind: "http",
    transport: "auto",
    url: "https://h/mcp",
    headers: {},
    ...fields,
  };
}

/** What expansion may ask: variables, files, folders, inputs. */
export function context(more: Partial<ExpandContext> = {}): ExpandContext {
  const files = new Map([
    ["/conf/token.txt", "tok-from-file\n"],
    ["/home/me/t", "home file"],
    ["/conf/.env", "A=from file\nexport B='b # no comment' # comment\n"],
  ]);
  return {
    env: {
      A: "1",
      EMPTY: "",
      NESTED: "${A}",
      "odd-name": "odd",
      MCPHOST_SECRET_ci: "ci-secret",
      MCPHOST_SECRET_GIT_HUB: "github-secret",
      MCPHOST_INPUT_KEY: "input-key",
    },
    cwd: "/work/project",
    home: "/home/me",
    given: new Map([["given", "given-value"]]),
    inputs: { fallback: { default: "dflt" }, open: { password: false } },
    readFile: (path) => Promise.resolve(files.get(path)),
    ...more,
  };
}
