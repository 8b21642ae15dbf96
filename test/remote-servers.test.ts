/**
 * Real servers from the registries, reached by a URL: each is listed, called with its exact result, asked for a tool that it
 * does not have, started anew between calls, and left clean. The one with a browser is skipped where there is none, and
 * the test's name says so.
 */
import { describe } from "bun:test";

import { bun, exercise, fixture, module, type RemoteServer, sum } from "./remote-servers-kit.ts";

const everything = module("@modelcontextprotocol/server-everything/dist/index.js");
const everythingSum = {
  lists: ["echo", "get-sum"],
  call: { tool: "get-sum", arguments: { a: 2, b: 40 } },
  result: "The sum of 2 and 40 is 42.",
  era: "legacy",
} as const;
const browser = ["chromium", "chromium-browser", "google-chrome", "chrome"]
  .map((name) => Bun.which(name))
  .find((path) => path !== null);

const servers: RemoteServer[] = [
  {
    name: "server-everything streamableHttp",
    command: () => [bun, everything, "streamableHttp"],
    path: "/mcp",
    ...everythingSum,
  },
  {
    name: "server-everything sse, found out",
    command: () => [bun, everything, "sse"],
    path: "/sse",
    ...everythingSum,
  },
  {
    name: "server-everything sse, named",
    command: () => [bun, everything, "sse"],
    path: "/sse",
    transport: "sse",
    ...everythingSum,
  },
  {
    name: "SDK 1.x, with sessions",
    command: (port) => [bun, fixture("sdk1-http.ts"), String(port)],
    path: "/mcp",
    ...sum,
  },
  {
    name: "SDK 2.x, both eras",
    command: (port) => [bun, fixture("sdk2-http.ts"), String(port)],
    path: "/mcp",
    ...sum,
    era: "modern",
  },
  {
    name: "SDK 2.x, modern only",
    command: (port) => [bun, fixture("sdk2-http.ts"), String(port), "reject"],
    path: "/mcp",
    ...sum,
    era: "modern",
  },
  {
    name: "fastmcp httpStream",
    command: (port) => [bun, fixture("fastmcp.ts"), String(port)],
    path: "/mcp",
    ...sum,
  },
  {
    name: "@playwright/mcp",
    command: (port, folder) => [
      bun,
      module("@playwright/mcp/cli.js"),
      "--headless",
      "--isolated",
      "--no-sandbox",
      `--executable-path=${browser}`,
      `--output-dir=${folder}`,
      `--port=${port}`,
    ],
    // O005: it is deaf to any other name.
    host: "localhost",
    path: "/mcp",
    era: "legacy",
    lists: ["browser_navigate", "browser_snapshot"],
    call: { tool: "browser_navigate", arguments: { url: "data:text/html,<title>Hello</title>" } },
    result: /Page Title: Hello/,
    ...(browser === undefined && { skipped: "there is no browser here" }),
  },
];

describe.each(servers)("$name", exercise);
