/**
 * What a command line tells before it is run: not found, a docker without `-i`, a terminal where there must be none, a
 * variable that no shell will expand. Pure; a part of the doctor.
 */
import type { ServerConfig } from "../config/types.ts";
import { fault, warning } from "./doctor-types.ts";
import type { Examination, Finding } from "./doctor-types.ts";

type Started = NonNullable<Examination["started"]>;

/** What is wrong with the command line. Guesses are made only where the server did not work. */
export function commandFindings({ started, error }: Examination): Finding[] {
  if (!started) return [];
  const { command, args } = started;
  if (error && !started.cwdExists)
    return [
      fault(
        "no-folder",
        `the folder ${started.cwd} does not exist`,
        'mend "cwd", or make the folder',
      ),
    ];
  if (error && started.path === undefined) return [notFound(started)];
  // Whoever waits for a person does not end.
  const waits = error !== undefined && !("exitCode" in error.facts) && !("signal" in error.facts);
  const [program, rest] = unwrapped(base(command), args);
  return [
    ...container(program, rest, error !== undefined),
    ...remote(program, rest, waits),
    ...(waits ? prompts(program, rest) : []),
    ...unexpanded(args),
  ];
}

/** Servers that are the same as an earlier one but for the name: name → the earlier one's. */
export function duplicates(servers: readonly ServerConfig[]): Map<string, string> {
  const first = new Map<string, string>();
  const same = new Map<string, string>();
  for (const { name, origin: _, written: __, ...settings } of servers) {
    const key = JSON.stringify(Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const before = first.get(key);
    if (before === undefined) first.set(key, name);
    else same.set(name, before);
  }
  return same;
}

// --- internal ---

function notFound({ command, searched }: Started): Finding {
  if (/\s/.test(command))
    return fault(
      "not-found",
      `there is no command named ${JSON.stringify(command)}, spaces included`,
      'drop the quotes around it, or put the first word in "command" and the others in "args"',
    );
  if (command.includes("/"))
    return fault(
      "not-found",
      `${command} does not exist or is not executable`,
      "mend the path, or chmod +x it",
    );
  return fault(
    "not-found",
    `the command ${command} is not on PATH; searched: ${searched || "(nothing)"}`,
    `install it, or write its whole path (in a shell where it works: command -v ${command})`,
  );
}

/** `env A=b sudo docker …` runs docker: what stands in front of the program is taken off. */
function unwrapped(program: string, args: readonly string[]): [string, readonly string[]] {
  if (program !== "env" && program !== "sudo" && program !== "nice") return [program, args];
  const at = args.findIndex((arg) => !arg.startsWith("-") && !arg.includes("="));
  return at < 0 ? [program, args] : [base(args[at] ?? ""), args.slice(at + 1)];
}

function base(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? "").replace(/\.(exe|cmd|bat)$/i, "");
}

/** `docker run` closes a container's stdin unless `-i` is given; a terminal (`-t`) mixes stderr in and echoes. */
function container(program: string, args: readonly string[], failed: boolean): Finding[] {
  if (!["docker", "podman", "nerdctl"].includes(program)) return [];
  const at = args.findIndex((arg) => arg === "run" || arg === "exec");
  if (at < 0) return [];
  const verb = args[at];
  const flags = containerFlags(args.slice(at + 1));
  const found: Finding[] = [];
  if (!flags.has("i")) {
    const finding = failed ? fault : warning;
    const text = `${program} ${verb} without -i: the container gets no stdin`;
    const hint = `${program} ${verb} -i${verb === "run" ? " --rm" : ""} …`;
    found.push(finding("docker-no-i", text, hint));
  }
  if (flags.has("t")) found.push(terminal(`${program} ${verb} -t`, "leave -t out: -i alone"));
  return found;
}

/** Docker's own switches up to the image, as single letters; those of the program in the container are not looked at. */
function containerFlags(args: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (let at = 0; args[at]?.startsWith("-"); at++) {
    const arg = args[at] ?? "";
    const long = /^--(interactive|tty)(?:=(\w+))?$/.exec(arg);
    if (long) {
      if (long[2] !== "false") found.add(long[1] === "tty" ? "t" : "i");
    } else if (/^-[itdPq]+$/.test(arg)) for (const letter of arg.slice(1)) found.add(letter);
    else if (/^-[a-zA-Z]$|^--[^=]+$/.test(arg) && !lonely.test(arg)) at++;
  }
  return found;
}

/** Docker's long switches that take no value in the next word. */
const lonely =
  /^--(rm|init|privileged|read-only|detach|publish-all|quiet|no-healthcheck|oom-kill-disable|tls-verify)$/;

function remote(program: string, args: readonly string[], waits: boolean): Finding[] {
  if (program !== "ssh") return [];
  const options = args.slice(0, args.findIndex((arg) => !arg.startsWith("-")) >>> 0);
  const found: Finding[] = [];
  if (options.some((arg) => /^-[A-Za-z0-9]*t/.test(arg)))
    found.push(terminal("ssh -t", "leave -t out, or say -T"));
  if (waits && !args.some((arg) => /BatchMode=yes/i.test(arg)))
    found.push(
      warning(
        "ssh-prompt",
        "ssh may be waiting for a password or a host key, which nobody can answer",
        "ssh -o BatchMode=yes … fails at once instead; use a key and a known host",
      ),
    );
  return found;
}

function terminal(what: string, hint: string): Finding {
  const text = `${what} gives the server a terminal: it echoes, mixes in stderr and changes line ends`;
  return warning("terminal", text, hint);
}

/** `npx` may ask whether to install, and there is nobody to answer. */
function prompts(program: string, args: readonly string[]): Finding[] {
  const npm = program === "npm" && (args[0] === "exec" || args[0] === "x");
  if (program !== "npx" && !npm) return [];
  const own = args.slice(
    0,
    args.findIndex((arg, at) => !arg.startsWith("-") && (!npm || at > 0)) >>> 0,
  );
  if (own.some((arg) => /^(-y|--yes)$/.test(arg))) return [];
  const runner = npm ? "npm exec" : "npx";
  const text = `${runner} without -y may be asking whether to install the package`;
  return [warning("npx-no-y", text, `${runner} -y …`)];
}

/** No shell runs: `$HOME` in an argument stays as it is. */
function unexpanded(args: readonly string[]): Finding[] {
  const shells = args.includes("-c") || args.includes("-lc");
  const left = shells
    ? []
    : args.flatMap((arg) => /\$\{?[A-Z_][A-Z0-9_]*\}?|%[A-Z_]{3,}%/.exec(arg)?.[0] ?? []);
  return [...new Set(left)].map((text) =>
    warning(
      "unexpanded",
      `${text} in its arguments is passed on as it stands: no shell expands it`,
      `write \${${text.replace(/\W/g, "")}} in a config file, where it is expanded`,
    ),
  );
}
