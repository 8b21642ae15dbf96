/**
 * Which proxy a request goes through, by the variables that curl and others read. Pure. What is on this machine is never
 * reached through a proxy. Loaded only where the environment names one.
 */
import { BlockList, isIP } from "node:net";

import { HostError } from "../base/errors.ts";

/** The way through a proxy. */
export interface Route {
  /** With its credentials. */
  url: string;
  /** Host and port, to be shown. */
  shown: string;
  /** The variable that names it. */
  variable: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address; undefined: none. A variable in small letters wins, as in curl; one without a scheme means
 * http. `NO_PROXY` lists, divided by commas or blanks: `*`, names (with all that ends in them), addresses, blocks of
 * addresses (`10.0.0.0/8`), each but the blocks with a port if need be. `server` is its name, for the error.
 * @throws HostError `config`: the variable names no proxy that can be spoken to
 */
export function routeOf(
  { protocol, hostname, port }: URL,
  env: Env,
  server: string,
): Route | undefined {
  const isSecure = protocol === "https:" || protocol === "wss:";
  const names = [isSecure ? "https_proxy" : "http_proxy", "all_proxy"];
  const variable = names.flatMap((name) => [name, name.toUpperCase()]).find((name) => env[name]);
  if (variable === undefined) return undefined;
  const host = hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase();
  if (isLoopback(host)) return undefined;
  const target = { host, port: port === "" ? (isSecure ? 443 : 80) : Number(port) };
  const exceptions = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/);
  if (exceptions.some((entry) => entry !== "" && matches(entry.toLowerCase(), target)))
    return undefined;
  return readRoute(env[variable] ?? "", variable, server);
}

/** True for this machine's own addresses and names. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return isIP(host) !== 0 && loopback().check(host, family(host));
}

// --- internal ---

interface Target {
  /** In small letters, without brackets. */
  host: string;
  port: number;
}

function loopback(): BlockList {
  const list = new BlockList();
  list.addSubnet("127.0.0.0", 8, "ipv4");
  list.addAddress("::1", "ipv6");
  return list;
}

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

function readRoute(written: string, variable: string, server: string): Route {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return { url: url.href, shown: url.host, variable };
  const kind = url ? `a proxy of the kind ${url.protocol.slice(0, -1)}` : "no address";
  throw new HostError(
    "config",
    `server "${server}": ${variable} names ${kind}; only http and https proxies can be used`,
    {
      facts: { server, variable },
      hint: `set ${variable} to http://HOST:PORT, or name the server's host in NO_PROXY`,
    },
  );
}

function matches(entry: string, { host, port }: Target): boolean {
  if (entry === "*") return true;
  const block = /^(.+)\/(\d{1,3})$/.exec(entry);
  if (block) return isIP(host) !== 0 && isInBlock(host, bare(block[1] ?? ""), Number(block[2]));
  const [, name, only] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? ["", entry];
  if (only !== undefined && Number(only) !== port) return false;
  const wanted = bare(name ?? "");
  if (isIP(wanted) !== 0) return isInBlock(host, wanted, isIP(wanted) === 4 ? 32 : 128);
  const suffix = wanted.replace(/^\*?\./, "").replace(/\.$/, "");
  return suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`));
}

/** Addresses have more than one spelling, so they are not compared as text. */
function isInBlock(host: string, address: string, bits: number): boolean {
  if (isIP(host) === 0 || isIP(host) !== isIP(address)) return false;
  if (bits > (isIP(address) === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, bits, family(address));
  return list.check(host, family(host));
}

function bare(address: string): string {
  return address.replace(/^\[|\]$/g, "");
}
