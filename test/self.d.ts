/** What examples import by the package's own name: the sources, since nothing may be built yet. */
declare module "mcphost" {
  type Own = typeof import("../mcphost.ts");
  export const createHost: Own["createHost"];
  export const definePlugin: Own["definePlugin"];
  export const isHostError: Own["isHostError"];
  export type PluginCall = import("../mcphost.ts").PluginCall;
  export type ToolResult = import("../mcphost.ts").ToolResult;
}
