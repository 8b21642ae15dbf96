/** The kinds of link to a server, by the words that hosts have for them. Pure. */

/** `auto`: over HTTP, to be found out. */
export const linkKinds = new Map<string, "stdio" | "auto" | "http" | "sse" | "ws">([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["remote", "auto"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["sse", "sse"],
  ["ws", "ws"],
  ["websocket", "ws"],
]);
