/**
 * The command line from its words to its exit status. It never throws and never ends the process. A plain call, which is what
 * most are, loads no more than that takes: here is its begin, by what its line alone says. A server is started before anything
 * else of us is loaded: it needs its time, and ours fits into that.
 */
import { userConfigNow } from "../config/paths.ts";
import { Ahead } from "../process/ahead.ts";
import { childEnv } from "../process/env.ts";
import { startReaper } from "../process/reaper.ts";
import { locate, run } from "../process/run.ts";
import type { Begun, BegunProcess } from "./plain/begun.ts";
import { plainLine } from "./plain/line.ts";
import type { PlainCommand, PlainLine, PlainUrl } from "./plain/line.ts";
import type { Io } from "./types.ts";

/** Runs one command line (without the program's own name). Never rejects. */
export async function main(argv: string[]): Promise<number> {
  const begun = await begin(argv, Bun.env);
  const end = begun && (await callPlainly(begun));
  if (end !== undefined && "status" in end) return end.status;
  const { runLine } = await import("./line.ts");
  return await runLine(argv, end);
}

// --- internal ---

/** Where it is not plain to its end, what is left of it. */
async function callPlainly(begun: Begun) {
  if ("url" in begun) {
    const { callByPost } = await import("./plain/post.ts");
    return await callByPost(begun.line, begun.url, Bun.env);
  }
  const { callByPipe } = await import("./plain/pipe.ts");
  return (await callByPipe(begun.line, begun.started, Bun.env)) ?? begun.started;
}

/** Undefined where it is no plain line, and where the host has to tell why it cannot be begun. */
function begin(
  argv: readonly string[],
  env: Io["env"],
): Begun | undefined | Promise<Begun | undefined> {
  const line = plainLine(argv);
  if (line === undefined) return undefined;
  // Each in a function of its own: what a function names is made when it is first called.
  if ("file" in line.server) return beginByFile(line, env);
  const own = userConfigNow(env);
  return own === undefined ? beginAt(line, env) : beginBeside(own, line, env);
}

/** By what the line alone names. */
function beginAt(line: PlainLine, env: Io["env"]): Begun | undefined {
  const { server } = line;
  if ("url" in server) return approach(server, env) ? { line, url: server.url } : undefined;
  const started = "command" in server ? start(server, env) : undefined;
  return started && { line, started };
}

/** Where a person's own config holds more than servers, that is heard before one is started or reached. */
async function beginBeside(
  own: string,
  line: PlainLine,
  env: Io["env"],
): Promise<Begun | undefined> {
  const { mayHaveSay } = await import("./plain/document.ts");
  return (await mayHaveSay(own)) ? undefined : beginAt(line, env);
}

/** What makes the way to a server another one. */
const strange = (
  "http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY NODE_TLS_REJECT_UNAUTHORIZED " +
  "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR"
).split(" ");

/** Connects; false where the way is not the plain one. */
function approach({ url }: PlainUrl, env: Io["env"]): boolean {
  for (const name of strange) if (env[name]) return false;
  // There is a gap until it is asked. With the port that goes without saying, another one is tried; none listens on 0.
  if (Number(URL.parse(url)?.port)) fetch.preconnect(url);
  return true;
}

/** By the server that is meant in a config. What reads one is loaded for that. */
async function beginByFile(line: PlainLine, env: Io["env"]): Promise<Begun | undefined> {
  const { meantIn } = await import("./plain/config.ts");
  const found = await meantIn(line, env);
  const started = found && start(found.meant.server, env);
  if (found === undefined || started === undefined) return undefined;
  const { tool, isExposed } = found.meant;
  started.config = found.config;
  return { line: { ...line, tool, isExposed }, started };
}

function start(server: PlainCommand, env: Io["env"]): BegunProcess | undefined {
  const { name, command, args } = server;
  // First: a server that is started before it outlives us, if we are killed in between.
  const reaper = startReaper();
  if (reaper === undefined) return undefined;
  try {
    // It is an error where there is none any more.
    process.cwd();
    const spec = { name, command, args, env: childEnv(env, server) };
    const file = locate(spec);
    if (file !== undefined) {
      const child = run({ argv: [file, ...args], verbatim: false }, spec, reaper.expect());
      reaper.add(child.pid);
      return { spec, process: new Ahead(child), reaper };
    }
  } catch {
    // The host says why.
  }
  reaper.release();
  return undefined;
}
