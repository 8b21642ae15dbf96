/**
 * What is wrong with a server and how to mend it: a pure reading of what was seen when it was started, listed and
 * stopped. It starts nothing, and says nothing that it has no evidence for.
 */
import type { HostError } from "../base/errors.ts";
import { commandFindings } from "./doctor-command.ts";
import type { Diagnosis, Examination, Finding } from "./doctor-types.ts";

/** All that is wrong, the cause first. */
export function diagnose(seen: Examination): Diagnosis {
  const status = seen.unusable
    ? "config"
    : seen.error || seen.stop?.rung === "alive"
      ? "failed"
      : "ok";
  const findings = [
    ...unusable(seen),
    ...commandFindings(seen),
    ...startFindings(seen),
    ...stdoutFindings(seen),
    ...listFindings(seen),
    ...stopFindings(seen),
    ...duplicate(seen),
  ];
  return { name: seen.name, status, findings };
}

/** Variables that lines of stderr name: those that we have and did not pass, and those that look meant but are not set. */
export function namedVariables(
  stderr: readonly string[],
  ours: readonly string[],
  passed: readonly string[],
): { ours: string[]; unset: string[] } {
  const named = new Set(
    stderr.flatMap((line) => line.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{3,}\b/g) ?? []),
  );
  const missing = [...named].filter((name) => !passed.includes(name));
  return {
    ours: missing.filter((name) => ours.includes(name)),
    unset: missing.filter(
      (name) =>
        !ours.includes(name) &&
        /_(KEY|TOKEN|SECRET|PASSWORD|URL|URI|HOST|DIR|PATH|ID|DSN)$/.test(name),
    ),
  };
}

// --- internal ---

const slowMs = 5000;
const shownMax = 5;

function unusable({ unusable: error }: Examination): Finding[] {
  if (!error) return [];
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return [{ level: "error", code: error.code, text: error.message, ...hint }];
}

function duplicate({ sameAs }: Examination): Finding[] {
  if (sameAs === undefined) return [];
  const text = `it is the same as ${sameAs}: its tools are there twice`;
  return [{ level: "warn", code: "duplicate", text, hint: "take one of the two out" }];
}

function startFindings(seen: Examination): Finding[] {
  const { error, startMs, started } = seen;
  const found: Finding[] = [];
  // A command that is not there is said by commandFindings, better.
  if (error && (started === undefined || (started.path !== undefined && started.cwdExists)))
    found.push(failure(error, seen));
  if (error) found.push(...variables(seen));
  if (startMs !== undefined && startMs > slowMs)
    found.push({
      level: "warn",
      code: "slow-start",
      text: `it took ${(startMs / 1000).toFixed(1)} s to start`,
      hint: "install its package instead of fetching it at every start; a limit is set by startTimeoutMs",
    });
  return found;
}

function failure(error: HostError, { stderr = [], startMs }: Examination): Finding {
  const lines = stderr.slice(-shownMax);
  const tail = lines.length > 0 ? `; its last words on stderr:\n${lines.join("\n")}` : "";
  const { exitCode, signal } = error.facts;
  const ended = exitCode !== undefined || signal !== undefined;
  // Without an end, nothing came in time; with the handshake done, it is the list that failed.
  const code =
    startMs !== undefined
      ? "list-failed"
      : ended
        ? "exits"
        : error.facts.timeoutMs
          ? "silent"
          : "start";
  const hint =
    code === "exits" && lines.length === 0
      ? "start its command by hand in a terminal to see what it says"
      : error.hint;
  return { level: "error", code, text: error.message + tail, ...(hint !== undefined && { hint }) };
}

function variables({ stderr = [], ourEnv, started }: Examination): Finding[] {
  const { ours, unset } = namedVariables(stderr, ourEnv, started?.env ?? []);
  return [
    ...ours.map((name): Finding => ({
      level: "error",
      code: "env-not-passed",
      text: `its stderr names ${name}, which you have and which was not passed to it`,
      hint: `--env ${name}, or in its entry "env": { "${name}": "\${${name}}" }`,
    })),
    ...unset.map((name): Finding => ({
      level: "error",
      code: "env-unset",
      text: `its stderr names ${name}, which is not set`,
      hint: `--env ${name}=VALUE, or set it and pass it on with --env ${name}`,
    })),
  ];
}

function stdoutFindings({ noise, error }: Examination): Finding[] {
  if (!noise || noise.count === 0) return [];
  const level = error ? "error" : "warn";
  if (noise.contentLength)
    return [
      {
        level,
        code: "content-length",
        text: "it wrote Content-Length headers: that is not MCP's framing",
        hint: "MCP over stdio is one JSON message a line; the server needs an MCP library of this decade",
      },
    ];
  const first = noise.first.slice(0, 3).map((line) => JSON.stringify(line.slice(0, 120)));
  return [
    {
      level,
      code: "stdout-noise",
      text: `it wrote ${noise.count} ${noise.count === 1 ? "line" : "lines"} on stdout that are no message: ${first.join(", ")}`,
      hint: "only messages belong on stdout; its logs and banners belong on stderr",
    },
  ];
}

function listFindings({ error, tools, warnings = [] }: Examination): Finding[] {
  const found = warnings
    .slice(0, shownMax)
    .map((text): Finding => ({ level: "warn", code: "tools", text }));
  if (warnings.length > shownMax)
    found.push({
      level: "warn",
      code: "tools",
      text: `and ${warnings.length - shownMax} more oddities of its tools`,
    });
  if (!error && tools === 0)
    found.push({ level: "warn", code: "no-tools", text: "it offers no tools" });
  return found;
}

function stopFindings({ stop, stopMs, error }: Examination): Finding[] {
  const seconds = stopMs === undefined ? "" : ` (it took ${(stopMs / 1000).toFixed(1)} s)`;
  const hint =
    "an MCP server over stdio ends when its stdin ends; until then it holds up whoever waits for it";
  const exit = stop?.exit;
  switch (stop?.rung) {
    case "term":
      return [
        {
          level: "warn",
          code: "needs-term",
          text: `it did not end with its stdin: SIGTERM did it${seconds}`,
          hint,
        },
      ];
    case "kill":
      return [
        {
          level: "warn",
          code: "needs-kill",
          text: `it ignored the end of its stdin and SIGTERM: SIGKILL did it${seconds}`,
          hint,
        },
      ];
    case "alive":
      return [
        {
          level: "error",
          code: "alive",
          text: "it is still running after SIGKILL",
          hint: "look at it with ps: it may hang in the kernel, on a file system or a device",
        },
      ];
    case "exited":
      return error
        ? []
        : [
            {
              level: "warn",
              code: "ended-early",
              text: `it ended by itself before it was stopped (${exit?.signal ?? `code ${exit?.exitCode}`})`,
            },
          ];
    case "eof":
      return exit?.exitCode
        ? [
            {
              level: "warn",
              code: "exit-code",
              text: `it ended with code ${exit.exitCode} although it was only asked to end`,
              hint: "the end of stdin is a clean end: code 0",
            },
          ]
        : [];
    default:
      return [];
  }
}
