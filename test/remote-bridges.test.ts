/** Bridges from the registries that make a server of stdio one of a URL, each asked as the real servers of a URL are. */
import { describe } from "bun:test";

import { bun, exercise, fixture, module, type RemoteServer, sum } from "./remote-servers-kit.ts";

const proxied = [bun, fixture("sdk1.ts")];
const gateway = (port: number, output: string, ...more: string[]) => [
  bun,
  module("supergateway/dist/index.js"),
  "--stdio",
  proxied.map((word) => `"${word}"`).join(" "),
  `--outputTransport=${output}`,
  `--port=${port}`,
  ...more,
];

const servers: RemoteServer[] = [
  {
    name: "mcp-proxy",
    command: (port) => [
      bun,
      module("mcp-proxy/dist/bin/mcp-proxy.mjs"),
      "--host=127.0.0.1",
      `--port=${port}`,
      "--",
      ...proxied,
    ],
    path: "/mcp",
    ...sum,
    // It speaks it for a server that does not.
    era: "modern",
  },
  {
    name: "mcp-proxy, its HTTP+SSE",
    command: (port) => [
      bun,
      module("mcp-proxy/dist/bin/mcp-proxy.mjs"),
      "--host=127.0.0.1",
      `--port=${port}`,
      "--server=sse",
      "--",
      ...proxied,
    ],
    path: "/sse",
    ...sum,
  },
  {
    name: "supergateway streamableHttp",
    command: (port) => gateway(port, "streamableHttp"),
    path: "/mcp",
    ...sum,
  },
  {
    name: "supergateway streamableHttp, with sessions",
    command: (port) => gateway(port, "streamableHttp", "--stateful"),
    path: "/mcp",
    ...sum,
  },
  {
    name: "supergateway sse",
    command: (port) => gateway(port, "sse"),
    path: "/sse",
    ...sum,
  },
  {
    name: "supergateway ws",
    command: (port) => gateway(port, "ws"),
    path: "/message",
    transport: "ws",
    ...sum,
  },
];

describe.each(servers)("$name", exercise);
