/** What addresses hold, decoded. Never throws. */

/** A part of an address without its percent encoding; undefined where that is wrong. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** What stands before `://`, in small letters; empty where that is not there. */
export function schemeOf(address: string): string {
  return address.slice(0, Math.max(address.indexOf("://"), 0)).toLowerCase();
}

/** A URI as those who parse it write it: small letters in the scheme, percent encoding (RFC 3986, 6.2.2). */
export function normalUri(text: string): string | undefined {
  return URL.parse(text)?.href;
}

/** User and password of an address as `Authorization: Basic` has them (RFC 7617); undefined where there are none. */
export function basicOf({ username, password }: URL): string | undefined {
  // Most have none, and a function that names `Buffer` has that made before it runs, which takes longer than all of this.
  return username === "" && password === "" ? undefined : packed([username, password]);
}

// --- internal ---

function packed(parts: string[]): string {
  const text = parts.map((part) => decoded(part) ?? part).join(":");
  return Buffer.from(text).toString("base64");
}
