/**
 * Which proxy a request goes through, by the variables that curl and others read. Pure. What is on this machine is never
 * reached through a proxy. Loaded only where the environment names one.
 */
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

// --- internal ---

interface Target {
  /** In small letters, without brackets. */
  host: string;
  port: number;
}

/** This machine's own addresses and names. */
function isLoopback(host: string): boolean {
  return host === "::1" || /^(127\.[\d.]+|localhost|.+\.localhost)$/.test(host);
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
  const [, block, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (block !== undefined) return isInBlock(host, bare(block), Number(bits));
  const [, name, only] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? ["", entry];
  if (only !== undefined && Number(only) !== port) return false;
  const wanted = bare(name ?? "");
  const address = addressOf(wanted);
  if (address !== undefined) return isInBlock(host, wanted, address.width);
  const suffix = wanted.replace(/^\*?\./, "").replace(/\.$/, "");
  return suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`));
}

/** Addresses have more than one spelling, so they are not compared as text. */
function isInBlock(host: string, block: string, bits: number): boolean {
  const [one, other] = [addressOf(host), addressOf(block)];
  if (!one || !other || one.width !== other.width || bits > one.width) return false;
  const shift = BigInt(one.width - bits);
  return one.value >> shift === other.value >> shift;
}

/** An IP address as a number (the platform's URL knows all its spellings); undefined for a name. */
function addressOf(host: string): { value: bigint; width: 32 | 128 } | undefined {
  if (/^\d+(\.\d+){3}$/.test(host)) {
    const parts = URL.parse(`http://${host}`)?.hostname.split(".");
    return parts && { value: joined(parts.map(Number), 8n), width: 32 };
  }
  if (!host.includes(":")) return undefined;
  const parsed = URL.parse(`http://[${host}]`)?.hostname;
  if (parsed === undefined) return undefined;
  const [head = [], tail = []] = bare(parsed)
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => parseInt(group, 16))));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return { value: joined([...head, ...zeros, ...tail], 16n), width: 128 };
}

function joined(parts: number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) + BigInt(part), 0n);
}

function bare(address: string): string {
  return address.replace(/^\[|\]$/g, "");
}
