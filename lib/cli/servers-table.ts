/** The list of servers for people: a line each in columns, and below it how its instructions begin. Pure. */
import type { Origin } from "../config/origin.ts";
import type { HttpServer } from "../config/types.ts";

/** One line of the list. Absent: not known. */
export interface ServerRow {
  name: string;
  kind: "stdio" | "http" | "plugin" | "";
  /** Of a server that is reached: as it is configured, or was found out. */
  transport?: Exclude<HttpServer["transport"], "auto">;
  /** `idle`: may start; `ready`: it was started and answered. */
  state: "idle" | "ready" | "failed" | "untrusted" | "disabled" | "misconfigured";
  era?: string;
  revision?: string;
  serverInfo?: object;
  tools?: number;
  instructions?: string;
  from: Pick<Origin, "kind"> & { file: string };
  error?: { code: string; message: string };
}

/** The servers in columns. `fitted`: a file's path where only the columns beside `room` are left. */
export function tableOf(
  rows: readonly ServerRow[],
  fitted: (file: string, room: number) => string,
): string {
  const head = ["NAME", "KIND", "STATE", "ERA", "TOOLS", "FROM"];
  const cells = rows.map(({ name, kind, transport, state, era, revision, tools, from }) => [
    name,
    transport ?? (kind || "-"),
    state,
    era === undefined ? "-" : `${era} ${revision ?? ""}`.trim(),
    String(tools ?? "-"),
    from.file,
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...cells].map((row) => row[at]?.length ?? 0)),
  );
  const room = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  for (const row of cells) row.push(fitted(row.pop() ?? "", room));
  const lines = [head, ...cells].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const [first = "", ...others] = lines;
  const body = others.map((line, at) => line + instructionsOf(rows[at]?.instructions));
  return rows.length === 0 ? "" : `${[first, ...body].join("\n")}\n`;
}

// --- internal ---

/** Below the line of its server, indented: how it begins. The whole text is in `--json`. */
function instructionsOf(text = ""): string {
  const [first, ...others] = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (first === undefined) return "";
  const isCut = others.length > 0 || first.length > instructionsMax;
  return `\n    ${first.slice(0, instructionsMax)}${isCut ? " …" : ""}`;
}

const instructionsMax = 72;
