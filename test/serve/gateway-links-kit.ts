/** A gateway and the ways to it, each by the transport of the official client 1.x. */
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import { sourceProgram, tempDir } from "../harness.ts";
import { gatewayOver } from "./gateway-kit.ts";
import type { Fixture, KitOptions } from "./kit.ts";

export const ways = ["http", "sse", "ws", "stdio"] as const;

export interface Links extends AsyncDisposable {
  /** A link for one client; on stdio, a gateway of its own. */
  link(): Transport;
}

/** A gateway over one server, named `s`, with its own names. */
export async function linksTo(
  way: (typeof ways)[number],
  fixture: Fixture,
  options: KitOptions = {},
): Promise<Links> {
  if (way === "stdio") return await stdioLinks(fixture);
  const kit = gatewayOver({ s: { prefix: "", ...fixture } }, options);
  const url = (path: string) => new URL(kit.served.url + path);
  return {
    link() {
      if (way === "sse") return new SSEClientTransport(url("/sse"));
      if (way === "http") return new StreamableHTTPClientTransport(url("/mcp")) as Transport;
      const at = url("/ws");
      at.protocol = "ws:";
      return new WebSocketClientTransport(at);
    },
    [Symbol.asyncDispose]: () => kit[Symbol.asyncDispose](),
  };
}

// --- internal ---

async function stdioLinks({
  command = process.execPath,
  args = [],
  ...more
}: Fixture): Promise<Links> {
  const home = await tempDir();
  const config = JSON.stringify({ mcpServers: { s: { command, args, prefix: "", ...more } } });
  return {
    link: () =>
      new StdioClientTransport({
        command: sourceProgram[0] ?? "",
        args: [...sourceProgram.slice(1), "gateway", "--config-json", config],
        env: { PATH: process.env["PATH"] ?? "", HOME: home.path, XDG_CACHE_HOME: home.path },
        cwd: home.path,
        stderr: "pipe",
      }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
