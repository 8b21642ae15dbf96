/** Configs of `serve` that change, and the request to read them again. */
import type { Configured } from "./config-kit.ts";

/** A config of these servers, and of more. */
export function over(servers: Record<string, object>, more: object = {}): object {
  return { mcpServers: servers, ...more };
}

/** Asks for the config to be read again. */
export async function reload(it: Configured) {
  return await it.decide("/servers/reload", { method: "POST" });
}
