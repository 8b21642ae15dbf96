/** A diagnosis in words for a person, and as a value for a program. Pure. */
import type { Diagnosis, Examination, Finding } from "./doctor-types.ts";
import { oneLine } from "./visible.ts";

/** A line on how the server is, and below it each finding with what to do. */
export function diagnosisText(diagnosis: Diagnosis, seen: Examination): string {
  const { name, status, findings } = diagnosis;
  const lines = [`${name}: ${[words[status], ...facts(seen)].join(", ")}`];
  for (const finding of findings) lines.push(...findingLines(finding));
  return `${lines.join("\n")}\n`;
}

/** One element of the array that `--json` prints. */
export function diagnosisJson(diagnosis: Diagnosis, seen: Examination): object {
  const { name, status, findings } = diagnosis;
  const { era, revision, serverInfo, tools, toolsHidden, startMs, stop, stopMs } = seen;
  const transport = seen.startMs === undefined ? undefined : seen.reached?.transport;
  const times = { startMs: rounded(startMs), stopMs: rounded(stopMs) };
  const counts = { tools, toolsHidden: toolsHidden || undefined };
  return {
    name,
    status,
    transport,
    era,
    revision,
    serverInfo,
    ...counts,
    ...times,
    stop,
    findings,
  };
}

// --- internal ---

const words: Record<Diagnosis["status"], string> = {
  ok: "ok",
  config: "cannot be used as it is configured",
  failed: "failed",
};

function facts(seen: Examination): string[] {
  const { era, revision, serverInfo, tools, toolsHidden = 0, startMs, reached } = seen;
  const hidden = toolsHidden === 0 ? "" : ` (${toolsHidden} more not offered)`;
  // The transport of today goes without saying.
  const over =
    reached === undefined || reached.transport === "http" ? "" : ` over ${reached.transport}`;
  return [
    ...(era === undefined ? [] : [`${era} ${revision}`]),
    ...(serverInfo === undefined ? [] : [oneLine(`${serverInfo.name} ${serverInfo.version}`, 500)]),
    ...(tools === undefined ? [] : [`${tools} ${tools === 1 ? "tool" : "tools"}${hidden}`]),
    ...(startMs === undefined
      ? []
      : [`${reached ? "connected" : "started"}${over} in ${Math.round(startMs)} ms`]),
  ];
}

function findingLines({ level, text, hint }: Finding): string[] {
  const [first = "", ...others] = text.split("\n");
  return [
    `  ${level === "warn" ? "warning" : "error"}: ${first}`,
    ...others.map((line) => `    | ${line}`),
    ...(hint === undefined ? [] : [`    ${hint}`]),
  ];
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}
