/** One server from the words of a command line: `-s SPEC`, or everything after `--`. Pure. */
import { HostError } from "../base/errors.ts";
import { linkKinds } from "./links.ts";
import { parseCommandLine } from "./shell-words.ts";
import type { HttpServer, Origin, ServerConfig, StdioServer } from "./types.ts";

/**
 * `NAME=COMMAND LINE`, a URL (named by its host's first label), `NAME=URL`, `NAME:stdio:COMMAND LINE`,
 * `NAME:http:URL`, `NAME:sse:URL`, `NAME:ws:URL`. Nothing in a command line is expanded.
 * @throws HostError `usage`
 */
export function parseSpec(spec: string): ServerConfig {
  if (urlStart.test(spec)) return httpServer(nameOfUrl(spec), spec, undefined, spec);
  const match = /^([^\s=:]+)(?:=|:([A-Za-z_-]+):)([^]*)$/.exec(spec);
  const [, name = "", kind, what = ""] = match ?? [];
  const link = kind === undefined ? undefined : linkKinds.get(kind);
  if (!match || (kind !== undefined && link === undefined))
    throw new HostError("usage", `--server ${beginningOf(spec)}: this names no server`, {
      hint: "write NAME=COMMAND LINE, NAME=URL, NAME:stdio:COMMAND LINE, NAME:http:URL (sse, ws), or a URL",
    });
  const body = what.trim();
  if (link === "stdio" || (link === undefined && !urlStart.test(body))) {
    const { env, words } = parseCommandLine(body);
    return { ...stdioServer(name, words, "--server", spec), givenEnv: env };
  }
  return httpServer(name, body, link, spec);
}

/** The server of `-- COMMAND…`, called `server`; its words stand as they are. @throws HostError `usage` */
export function commandServer(words: readonly string[]): StdioServer {
  return stdioServer("server", words, "--", [...words]);
}

// --- internal ---

const urlStart = /^(https?|wss?):\/\//i;

function stdioServer(
  name: string,
  words: readonly string[],
  flag: string,
  written: unknown,
): StdioServer {
  const [command = "", ...args] = words;
  if (command === "")
    throw new HostError("usage", `${flag} names no command`, { hint: "write -- COMMAND ARG…" });
  if (words.some((word) => word.includes("\0")))
    throw new HostError("usage", `${flag}: a NUL character cannot be handed on`);
  const env: Record<string, string | null> = Object.create(null);
  return { ...common(name, flag, written), kind: "stdio", command, args, env, literal: true };
}

function httpServer(
  name: string,
  url: string,
  link: HttpServer["transport"] | undefined,
  written: string,
): HttpServer {
  // `${VAR}` in a URL is filled in later, so only a URL without any can be judged here.
  if (!urlStart.test(url) || !(URL.canParse(url) || url.includes("${")))
    throw new HostError("usage", `--server ${beginningOf(written)}: this is no URL`, {
      hint: "a URL begins with http://, https://, ws:// or wss://",
    });
  const transport = link ?? (/^ws/i.test(url) ? "ws" : "auto");
  const headers: Record<string, string> = Object.create(null);
  return { ...common(name, "--server", written), kind: "http", transport, url, headers };
}

function common(name: string, label: string, written: unknown) {
  const origin: Origin = { label, kind: "named" };
  return { name, origin, written, protocol: "auto", lifecycle: "lazy" } as const;
}

/** `https://docs.example.com/mcp` → `docs`; an IP address as it stands. */
function nameOfUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
  const name = /^[\d.]+$|:/.test(host) ? host : host.split(".")[0];
  if (name) return name;
  throw new HostError("usage", `--server ${beginningOf(url)}: this is no URL`);
}

/** Enough of a spec to find it by: what follows may be a secret. */
function beginningOf(spec: string): string {
  const [head = ""] = /^[^\s:=@]*(?::\/\/|[:=])?/.exec(spec) ?? [];
  return head.length < spec.length ? `${head}…` : spec;
}
