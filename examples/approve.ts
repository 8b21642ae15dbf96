/** Approves calls by their arguments: files below `notes/` may be written, all others are refused, and nobody is asked. */
import { definePlugin } from "mcphost";

export default definePlugin({
  name: "only-notes",
  hooks: {
    beforeCall({ tool }) {
      if (/write|edit|move|create/.test(tool)) return { ask: "it changes files" };
      return undefined;
    },
    approve({ arguments: { path } }) {
      if (typeof path !== "string") return undefined;
      const isNote = path.startsWith("notes/") && !path.split("/").includes("..");
      return isNote ? { approve: true } : { reject: `${path} is not below notes/` };
    },
  },
});
