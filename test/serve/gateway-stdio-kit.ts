/** Lines for `mcphost gateway`. */
import { full } from "./gateway-kit.ts";

/** The command of the server behind the gateway. */
export const { command = "", args = [] } = full();

/** The words that name it. */
export const server = ["--", command, ...args];

const info = { name: "test", version: "1" };

/** A message as a line. */
export const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

/** The greeting of a legacy client. */
export const initialize = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info },
});

/** A call of a tool, with more of its parameters. */
export const call = (id: number | string, name: string, given: object = {}, more: object = {}) =>
  line({ id, method: "tools/call", params: { name, arguments: given, ...more } });
