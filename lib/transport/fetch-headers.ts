/** Where the requests to one remote server go, and the headers that they have by that, by the config, and of their own. */
import { HostError } from "../base/errors.ts";
import { basicOf } from "../base/uri.ts";
import type { FetchOptions, Outgoing } from "./fetch-types.ts";
import { userAgent } from "./http-headers.ts";

/**
 * Puts address and headers together: the caller's headers win, but for who asks, which the config may say; a user and password
 * in the address become a header, and are in it no longer. Most often an address is that of the request before, and read
 * once; so are `Headers`, which nobody changes.
 * @throws HostError `config` at once: a header that cannot be sent
 */
export function dresser(options: FetchOptions): (address: string, init: RequestInit) => Outgoing {
  const configured = checkedHeaders(options);
  let known = "";
  let place: Place | undefined;
  return (address, init) => {
    if (place === undefined || address !== known) place = placeOf(address, configured);
    known = address;
    const { url } = place;
    return { url, init, headers: headersIn(place, init.headers) };
  };
}

// --- internal ---

/** Where requests go. */
interface Place {
  url: URL;
  /** What they have by that and by the config. */
  ours: Headers;
  /** Those of requests, with ours; undefined: `Headers` have all of that. */
  whole: WeakMap<Headers, Headers> | undefined;
}

function placeOf(address: string, configured: Headers | undefined): Place {
  const url = new URL(address);
  const basic = basicOf(url);
  const ours = new Headers(configured);
  const whole = configured || basic !== undefined ? new WeakMap<Headers, Headers>() : undefined;
  if (!ours.has(agent)) ours.set(agent, userAgent);
  if (basic === undefined) return { url, ours, whole };
  if (!ours.has("authorization")) ours.set("authorization", `Basic ${basic}`);
  url.username = "";
  url.password = "";
  return { url, ours, whole };
}

function headersIn({ ours, whole }: Place, theirs: RequestInit["headers"]): RequestInit["headers"] {
  if (!(theirs instanceof Headers)) return withOurs(theirs, ours);
  if (whole === undefined) return theirs;
  let headers = whole.get(theirs);
  if (headers === undefined) whole.set(theirs, (headers = withOurs(theirs, ours)));
  return headers;
}

function withOurs(theirs: RequestInit["headers"], ours: Headers): Headers {
  const headers = new Headers(theirs);
  ours.forEach((value, name) => {
    if (name === agent || !headers.has(name)) headers.set(name, value);
  });
  return headers;
}

const agent = "user-agent";

/** HTTP's own set for values (RFC 9110, section 5.5), as far as Latin-1 goes. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function checkedHeaders({ name, headers = {} }: FetchOptions): Headers | undefined {
  for (const [header, value] of Object.entries(headers))
    if (!headerName.test(header) || !headerValue.test(value))
      throw new HostError(
        "config",
        `server "${name}": the header ${JSON.stringify(header)} cannot be sent`,
        {
          facts: { server: name, header },
          hint: "a name is letters, digits and -; a value has no line ends and no characters beyond Latin-1",
        },
      );
  return Object.keys(headers).length > 0 ? new Headers(headers) : undefined;
}
