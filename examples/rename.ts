/** Other names and words for some tools, and one that is not offered at all. */
import { definePlugin } from "mcphost";

const words: Record<string, { name: string; description: string }> = {
  add: { name: "sum", description: "Adds two numbers; use it for every addition" },
};

export default definePlugin({
  name: "rename",
  hooks: {
    listTools: (tools) =>
      tools
        .filter(({ tool }) => tool !== "fail")
        .map((tool) => Object.assign({}, tool, words[tool.tool])),
  },
});
