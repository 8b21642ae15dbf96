/** Results as they are printed. */
import { parseJson } from "../../lib/base/json.ts";
import { printResult } from "../../lib/cli/print.ts";
import type { Sink } from "../../lib/cli/types.ts";
import type { ToolResult } from "../../lib/protocol/mcp.ts";

/** A result, of its text. */
export const parse = (raw: string) => parseJson(raw) as ToolResult;

interface Options {
  json?: boolean;
  quiet?: boolean;
  output?: string;
  save?: string;
  cwd?: string;
  terminal?: boolean;
}

/** Prints a result, and gives what came to stdout and stderr. */
export async function print(raw: string, options: Options = {}) {
  const { json = false, quiet = false, output, save, cwd = "/nowhere", terminal = false } = options;
  const io = {
    cwd,
    stdout: collect(),
    stderr: collect(),
    terminal: { stdin: terminal, stdout: terminal, stderr: terminal, columns: 80 },
  };
  await printResult({ result: parse(raw), raw }, { tool: "t/o l", json, quiet, output, save }, io);
  return { stdout: io.stdout.text, stderr: io.stderr.text };
}

// --- internal ---

function collect(): Sink & { text: string } {
  return {
    text: "",
    closed: false,
    async write(data) {
      this.text += typeof data === "string" ? data : new TextDecoder("latin1").decode(data);
    },
  };
}
