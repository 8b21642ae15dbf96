/** What is odd about the address of a page that a server wants visited. */
import { expect, test } from "bun:test";

import { oddities } from "../../lib/cli/elicit-url.ts";

test.each<[string, RegExp[]]>([
  ["https://example.com/a?b=c#d", []],
  ["https://sub.example.co.uk/", []],
  ["https://xn--80ak6aa92e.com/", [/аррӏе\.com/]],
  ["https://аррӏе.com/", [/аррӏе\.com/]],
  ["https://example.com/caf\u00e9", [/characters that addresses do not have/]],
  ["https://example.com\\@evil.example/", [/characters that addresses do not have/]],
  ["https://example.com@evil.example/", [/before the @ is not where it leads; evil\.example is/]],
  ["https://:x@evil.example/", [/before the @/]],
  ["https://203.0.113.7/", [/bare network address/]],
  // Written as one number, it is the same.
  ["https://3405803783/", [/bare network address/]],
  ["https://[2001:db8::1]/", [/bare network address/]],
  ["https://example.com:8443/", [/port 8443/]],
  ["https://example.com:443/", []],
  ["http://localhost:3000/", [/port 3000/, /this computer itself/]],
  ["https://accounts.google.com.sign-in.secure.evil.example/", [/its end, evil\.example/]],
])("%s", (written, patterns) => {
  const found = oddities(new URL(written), written);
  expect(found).toHaveLength(patterns.length);
  for (const [at, pattern] of patterns.entries()) expect(found[at]).toMatch(pattern);
});
