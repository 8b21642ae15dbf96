/** A tool in ten lines, and with it a whole MCP server: `mcphost gateway --plugin examples/tool.ts`. */
import { definePlugin } from "mcphost";
import * as v from "valibot";

const input = v.object({ sides: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 6) });

export default definePlugin({
  name: "dice",
  tools: {
    roll: {
      description: "Rolls a die",
      input,
      run: ({ sides }) => `${Math.ceil(Math.random() * sides)} of ${sides}`,
    },
  },
});
