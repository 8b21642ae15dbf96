/** One server from the words of a command line: `-s SPEC`, or everything after `--`. Pure. */
import { HostError } from "../base/errors.ts";
import { schemeOf } from "../base/uri.ts";
import { isUrl, linkKinds } from "./links.ts";
import type { Origin } from "./origin.ts";
import { parseCommandLine } from "./shell-words.ts";
import type { HttpServer, ServerConfig, StdioServer } from "./types.ts";

/**
 * `NAME=COMMAND LINE`, a URL (named by its host: `nameOfUrl`), `NAME=URL`, `NAME:stdio:COMMAND LINE`,
 * `NAME:http:URL`, `NAME:sse:URL`, `NAME:ws:URL`. Nothing in a command line is expanded.
 * @throws HostError `usage`
 */
export function parseSpec(spec: string): ServerConfig {
  if (isUrl(spec)) return httpServer(nameOfUrl(spec), spec, undefined, spec);
  const match = /^([^\s=:]+)(?:=|:([A-Za-z_-]+):)([^]*)$/.exec(spec);
  const [, name = "", kind, what = ""] = match ?? [];
  const link = kind === undefined ? undefined : linkKinds.get(kind);
  if (!match || (kind !== undefined && link === undefined))
    throw new HostError("usage", `--server ${beginningOf(spec)}: this names no server`, {
      hint:
        wholeAddress(spec) ??
        `write NAME=COMMAND LINE, NAME=URL, NAME:stdio:COMMAND LINE, NAME:http:URL (sse, ws), or a URL${ofConfig(spec)}`,
    });
  const body = what.trim();
  const isCommand = link === undefined && !isUrl(body);
  const address = isCommand ? wholeAddress(body) : undefined;
  if (address !== undefined)
    throw new HostError("usage", `--server ${beginningOf(spec)}: this is no URL`, {
      hint: address,
    });
  if (link === "stdio" || isCommand) {
    const { env, words } = parseCommandLine(body);
    return { ...stdioServer(name, words, "--server", spec), givenEnv: env };
  }
  return httpServer(name, body, link, spec);
}

/** The server of `-- COMMAND…`, called `server`; its words stand as they are. @throws HostError `usage` */
export function commandServer(words: readonly string[]): StdioServer {
  checkCommand(words);
  return stdioServer("server", words, "--", [...words]);
}

/** What stands behind `--` is a command line. @throws HostError `usage` for an address */
export function checkCommand([command = ""]: readonly string[]): void {
  if (isUrl(command))
    throw new HostError(
      "usage",
      "what stands behind -- is a command line, and this is an address",
      {
        hint: "a server that is reached is named by -s URL, before --",
      },
    );
}

/**
 * The specs with names of their own: a URL that was named by its host gets a number behind that where the name is taken,
 * by another server of the line or one that is `taken` already. The same URL twice stays one server.
 */
export function withOwnNames(
  specs: readonly ServerConfig[],
  taken: Iterable<string>,
): ServerConfig[] {
  const names = new Set(taken);
  for (const spec of specs) if (!isOurs(spec)) names.add(spec.name);
  const byUrl = new Map<unknown, string>();
  return specs.map((spec) => {
    if (!isOurs(spec)) return spec;
    let name = byUrl.get(spec.written) ?? spec.name;
    for (let next = 2; names.has(name) && !byUrl.has(spec.written); next++)
      name = `${spec.name}-${next}`;
    names.add(name);
    byUrl.set(spec.written, name);
    return { ...spec, name };
  });
}

// --- internal ---

/** A name alone is most likely that of a configured server, as other programs choose one. */
function ofConfig(spec: string): string {
  if (!/^[\w.-]+$/.test(spec)) return "";
  return `; a server of a config goes by the names of its tools: ${spec}.TOOL, and '${spec}.*' for all`;
}

/** The name is of our making. */
function isOurs({ written }: ServerConfig): boolean {
  return typeof written === "string" && isUrl(written);
}

function stdioServer(
  name: string,
  words: readonly string[],
  flag: string,
  written: unknown,
): StdioServer {
  const [command = "", ...args] = words;
  if (command === "")
    throw new HostError("usage", `${flag} names no command`, {
      hint: flag === "--" ? "write -- COMMAND ARG…" : `write ${flag} NAME='COMMAND ARG…'`,
    });
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
  if (!isUrl(url) || !(URL.canParse(url) || url.includes("${")))
    throw new HostError("usage", `--server ${beginningOf(written)}: this is no URL`, {
      hint: "a URL begins with http://, https://, ws:// or wss://",
    });
  const transport = link ?? (schemeOf(url).startsWith("ws") ? "ws" : "auto");
  const headers: Record<string, string> = Object.create(null);
  return { ...common(name, "--server", written), kind: "http", transport, url, headers };
}

function common(name: string, label: string, written: unknown) {
  const origin: Origin = { label, kind: "named" };
  return { name, origin, written, protocol: "auto", lifecycle: "lazy" } as const;
}

/**
 * `https://docs.example.com/mcp` → `docs`; this machine → `localhost`; another IP address with `-` for what a name of a
 * tool cannot have.
 */
function nameOfUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
  if (/^127\.[\d.]+$|^::1$/.test(host)) return "localhost";
  const name = /^[\d.]+$|:/.test(host) ? host.replace(/[.:]+/g, "-") : host.split(".")[0];
  if (name) return name;
  throw new HostError("usage", `--server ${beginningOf(url)}: this is no URL`);
}

/** What to write for an address that lacks its scheme, or has another; undefined for what is no address. */
function wholeAddress(text: string): string | undefined {
  const [, scheme, place] =
    /^(?:([A-Za-z][\w+.-]*):\/\/|((?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]):\d+)(?=$|[/?#]))\S*$/i.exec(
      text,
    ) ?? [];
  if (scheme !== undefined) return "a URL begins with http://, https://, ws:// or wss://";
  return place && `an address is written whole: http://${place}…`;
}

/** Enough of a spec to find it by: what follows may be a secret. */
function beginningOf(spec: string): string {
  const [head = ""] = /^[^\s:=@]*(?::\/\/|[:=])?/.exec(spec) ?? [];
  return head.length < spec.length ? `${head}…` : spec;
}
