/** Takes keys out of results before anybody sees them, in whatever part of a result they stand. */
import { definePlugin } from "mcphost";

const keys = /\b(sk|ghp|xoxb)[-_][A-Za-z0-9_-]{16,}/g;

export default definePlugin({
  name: "redact",
  hooks: {
    afterCall(_call, { result }) {
      const text = JSON.stringify(result ?? null);
      const clean = text.replace(keys, "[redacted]");
      return clean === text ? undefined : { result: JSON.parse(clean) };
    },
  },
});
