/**
 * What is wrong with a server and how to mend it: a pure reading of what was seen when it was started, listed and
 * stopped. It starts nothing, and says nothing that it has no evidence for.
 */
import type { HostError } from "../base/errors.ts";
import { commandFindings } from "./doctor-command.ts";
import { stopFindings } from "./doctor-stop.ts";
import { fault, warning } from "./doctor-types.ts";
import type { Diagnosis, Examination, Finding } from "./doctor-types.ts";
import { urlFailureCode } from "./doctor-url.ts";
import { hintOf } from "./flag-hints.ts";
import { telling } from "./report.ts";

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
    ...stdioFindings(seen),
    ...stdoutFindings(seen),
    ...encodingFindings(seen),
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
  return error ? [fault(error.code, error.message, hintOf(error))] : [];
}

function duplicate({ sameAs }: Examination): Finding[] {
  if (sameAs === undefined) return [];
  const text = `it is the same as ${sameAs}: its tools are there twice`;
  return [warning("duplicate", text, "take one of the two out")];
}

function startFindings(seen: Examination): Finding[] {
  const { error, startMs, started, reached } = seen;
  const found: Finding[] = [];
  // A command that is not there is said by commandFindings, better.
  if (error && (started === undefined || (started.path !== undefined && started.cwdExists)))
    found.push(failure(error, seen));
  if (error) found.push(...variables(seen));
  if (startMs !== undefined && startMs > slowMs) {
    const hint = reached
      ? "a limit is set by startTimeoutMs"
      : "install its package instead of fetching it at every start; a limit is set by startTimeoutMs";
    const text = `it took ${(startMs / 1000).toFixed(1)} s to ${reached ? "connect" : "start"}`;
    found.push(warning("slow-start", text, hint));
  }
  return found;
}

function failure(error: HostError, seen: Examination): Finding {
  if (seen.reached) {
    const code = seen.startMs === undefined ? urlFailureCode(error) : "list-failed";
    return fault(code, error.message, hintOf(error));
  }
  const lines = telling(seen.stderr ?? [], shownMax);
  const tail = lines.length > 0 ? `; its last words on stderr:\n${lines.join("\n")}` : "";
  // What the next lines show is not said again.
  const shown = lines.length > 0 || (seen.noise?.count ?? 0) > 0;
  return fault(failureCode(error, seen), error.message + tail, shown ? undefined : hintOf(error));
}

function failureCode({ facts }: HostError, { startMs }: Examination): string {
  if (startMs !== undefined) return "list-failed";
  if (facts.exitCode !== undefined || facts.signal !== undefined) return "exits";
  return facts.timeoutMs === undefined ? "start" : "silent";
}

function variables({ stderr = [], ourEnv, started }: Examination): Finding[] {
  const { ours, unset } = namedVariables(stderr, ourEnv, started?.env ?? []);
  return [
    ...ours.map((name) =>
      fault(
        "env-not-passed",
        `its stderr names ${name}, which you have and which was not passed to it`,
        `--env ${name}, or in its entry "env": { "${name}": "\${${name}}" }`,
      ),
    ),
    ...unset.map((name) =>
      fault(
        "env-unset",
        `its stderr names ${name}, which is not set`,
        `--env ${name}=VALUE, or set it and pass it on with --env ${name}`,
      ),
    ),
  ];
}

/** Bun, like Node, gives a child sockets: they are written and read like pipes, and cannot be opened by their names. */
function stdioFindings({ stderr = [], error }: Examination): Finding[] {
  const opened = /\/dev\/(?:std(?:in|out|err)|fd\/[012])\b/;
  const line = stderr.find((one) => opened.test(one) && /no such device|ENXIO/i.test(one));
  if (line === undefined) return [];
  const name = opened.exec(line)?.[0];
  const text = `it opens ${name}, which is a socket here: only a pipe or a file can be opened by that name`;
  const hint =
    "use the stream itself: in a shell >&2 for > /dev/stderr, and cat for cat /dev/stdin";
  return [(error ? fault : warning)("stdio-by-name", text, hint)];
}

function stdoutFindings({ noise, error }: Examination): Finding[] {
  if (!noise || noise.count === 0) return [];
  const finding = error ? fault : warning;
  if (noise.contentLength)
    return [
      finding(
        "content-length",
        "it wrote Content-Length headers: that is not MCP's framing",
        "MCP over stdio is one JSON message a line; the server must write plain lines",
      ),
    ];
  const first = noise.first.slice(0, 3).map((line) => JSON.stringify(line.slice(0, 120)));
  const lines = `${noise.count} ${noise.count === 1 ? "line" : "lines"}`;
  return [
    finding(
      "stdout-noise",
      `it wrote ${lines} on stdout that are no message: ${first.join(", ")}`,
      "only messages belong on stdout; its logs and banners belong on stderr",
    ),
  ];
}

function encodingFindings({ lostCharacters }: Examination): Finding[] {
  if (!lostCharacters) return [];
  const text = "what it writes on stdout is not UTF-8: characters of its messages are lost";
  return [warning("stdout-encoding", text, "for Python: --env PYTHONUTF8=1, or in its env")];
}

function listFindings(seen: Examination): Finding[] {
  const { error, tools, toolsHidden = 0, warnings = [] } = seen;
  const found = warnings.slice(0, shownMax).map((text) => warning("tools", text));
  const more = warnings.length - shownMax;
  if (more > 0) found.push(warning("tools", `and ${more} more oddities of its tools`));
  if (!error && tools === 0)
    found.push(
      toolsHidden === 0
        ? warning("no-tools", "it offers no tools")
        : warning(
            "no-tools",
            `allowedTools and deniedTools leave none of its ${toolsHidden} tools`,
          ),
    );
  return found;
}
