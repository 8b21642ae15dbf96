/** Servers that misbehave, one fault each (fixtures/servers/faults), and what comes of a call of each. */
import { join } from "node:path";

import { bunAlone, type Expected, root } from "./harness.ts";

interface Case extends Expected {
  /** The tool and its arguments. @default the tool `fault` */
  call?: string[];
  /** More keys of the server's config entry. */
  server?: Record<string, unknown>;
  limits?: Record<string, number>;
  /** Whether the same server answers the next call. @default true */
  again?: boolean;
}

const echo = { call: ["echo", "message=hello"], stdout: "hello\n" };

const right = { stdout: "right\n" };

const soon = { server: { timeoutMs: 500 } };

const shortStart = { server: { startTimeoutMs: 1500 } };

/** What each fault comes to. */
export const cases: Record<string, Case> = {
  none: echo,

  banner: echo,
  "log-lines": echo,
  crlf: echo,
  bom: echo,
  "blank-lines": echo,
  pretty: echo,
  "no-newlines": echo,
  "cr-only": echo,
  "on-one-line": echo,
  "text-behind": echo,
  buffered: {
    ...echo,
    ...shortStart,
    code: 3,
    stdout: "",
    stderr: /as soon as its stdin was closed\n.*PYTHONUNBUFFERED=1/,
    again: false,
  },
  "content-length": echo,
  "content-length-only": {
    ...echo,
    ...shortStart,
    code: 3,
    stdout: "",
    stderr: /Content-Length/,
    again: false,
  },
  "long-line": { limits: { lineBytesMax: 1 << 20 }, code: 1, stderr: /1048576|1 MiB|larger|limit/ },
  "byte-by-byte": { stdout: "é 漢字 😀\n" },
  "invalid-utf8": { stdout: /^cut:.*:\n$/ },

  "id-text": right,
  "id-string": right,
  "id-zero": right,
  "id-unknown": right,
  "id-fraction": right,
  "id-huge": right,
  "id-object": right,
  "id-float": right,
  "id-duplicate": right,
  // With one request pending, the error is its own.
  "id-null": { code: 1, stderr: /bad/ },
  "only-wrong-id": { ...soon, code: 4, stderr: /99999.*did not answer/s },
  "result-and-error": { code: 1, stderr: /both/ },
  "no-result": { code: 1, stderr: /server/ },
  "error-string": { code: 1, stderr: /boom/ },
  "error-empty": { code: 1, stderr: /server/ },
  "error-zero": { code: 1, stderr: /zero/ },
  "result-null": { code: 1, stderr: /server/ },
  "result-number": { code: 1, stderr: /server/ },
  "result-array": { code: 1, stderr: /server/ },
  "wrong-jsonrpc": echo,
  "no-jsonrpc": echo,
  batches: echo,
  "odd-batches": echo,
  "same-id": right,
  "early-notification": echo,
  "notification-replies": echo,
  late: { ...soon, code: 4, stderr: /did not answer tools\/call of fault within 500 ms/ },
  "progress-unknown": right,

  "cursor-same": echo,
  "cursor-empty": right,
  "cursor-null": echo,
  "cursor-endless": { ...echo, limits: { pagesMax: 20 } },
  "tools-null": { ...echo, code: 2, stdout: "", stderr: /echo/, again: false },
  "tool-not-object": echo,
  "no-schema": right,
  "schema-null": right,
  "schema-number": right,
  "schema-string": { code: 2, stderr: /expected string/ },
  "schema-unknown-type": right,
  "schema-bad-required": right,
  "schema-bad-pattern": { call: ["fault", "a=x"], ...right },
  "local-ref": { call: ["fault", "a=1"], ...right },
  "recursive-ref": { call: ["fault", "child:={}"], ...right },
  "slow-pattern": { call: ["fault", "a=aaaa"], ...right },
  "missing-ref": { call: ["fault", "a=1"], ...right },
  twins: right,
  "many-tools": echo,
  "list-storm": right,
  "list-changed-on-list": echo,

  "content-empty": {},
  "content-missing": {},
  "content-null": {},
  "content-string": { stdout: '"right"\n' },
  "text-empty": { stdout: /^\n?$/ },
  "text-missing": { stdout: '{"type":"text"}\n', stderr: /no known kind/ },
  "content-unknown": { stdout: /^right$/m },
  "structured-only": { stdout: '{"n":1}\n' },
  "structured-scalar": { stdout: "0\n" },
  "structured-null": { stdout: "null\n" },
  "is-error": { code: 1, stderr: /it failed/ },
  "is-error-structured": { code: 1, stderr: /it failed/ },
  "output-mismatch": right,
  "output-missing": right,
  "bad-base64": {},
  "deep-json": right,

  "crash-before-initialize": { ...echo, code: 3, stdout: "", stderr: /FIXTURE_KEY/, again: false },
  "crash-on-probe": echo,
  "crash-during-initialize": {
    ...echo,
    code: 3,
    stdout: "",
    stderr: /bad handshake/,
    again: false,
  },
  "crash-after-initialize": { ...echo, code: 3, stdout: "", stderr: /bye/, again: false },
  "crash-on-list": { ...echo, code: 3, stdout: "", stderr: /lists are hard/, again: false },
  "crash-in-call": { code: 6, stderr: /exit code 7 .*tool blew up/s },
  "killed-in-call": { code: 6, stderr: /SIGKILL/ },
  "exit-0-in-call": { code: 6, stderr: /exit code 0 / },
  "crash-on-eof": echo,
  "exit-1-on-eof": echo,
  "last-words": { ...echo, code: 3, stdout: "", stderr: /last line/, again: false },
  silent: { ...echo, ...shortStart, code: 3, stdout: "", stderr: /initialize/, again: false },
  "silent-probe": echo,
  "silent-list": { ...echo, ...soon, code: 3, stdout: "", stderr: /tools\/list/, again: false },
  "silent-call": { ...soon, code: 4, stderr: /did not answer tools\/call of fault within 500 ms/ },
  stubborn: echo,
  "slow-to-stop": echo,
  grandchild: echo,
  "closes-stdin": { ...echo, code: 3, stdout: "", stderr: /server/, again: false },
  "closes-stdout": { code: 6, stderr: /closed its stdout/ },
  "stderr-flood": right,
  "stderr-line": echo,
  "probe-flood": echo,

  "asks-on-list": { call: ["answers"], stdout: /^\[\{\},/ },
  "asks-in-call": { stdout: /^\[\{\},/ },
  "asks-nonsense": { stdout: /-32601/ },
};

/** It comes to that only with keys or limits that the config sets. */
export function needsConfig(fault: string): boolean {
  const { server, limits } = cases[fault] ?? {};
  return server !== undefined || limits !== undefined;
}

/** The words that start a server with a fault. */
export function faulty(fault: string, ...args: string[]): string[] {
  return [...bunAlone.slice(1), join(root, "test/fixtures/servers/faulty.ts"), fault, ...args];
}

/** `key=value` and `key:=JSON`, as the command line reads them for simple cases. */
export function argumentsOf(words: string[]) {
  return Object.fromEntries(
    words.map((word) => {
      const [, key, colon, value] = /^(\w+)(:?)=(.*)$/.exec(word)!;
      return [key!, colon === ":" || /^\d+$/.test(value!) ? JSON.parse(value!) : value!];
    }),
  );
}
