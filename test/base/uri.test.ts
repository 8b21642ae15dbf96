/** What addresses hold, decoded. */
import { expect, test } from "bun:test";

import { basicOf, decoded, normalUri } from "../../lib/base/uri.ts";

test.each([
  ["a%20b", "a b"],
  ["100%", undefined],
  ["%FF", undefined],
])("%s", (text, value) => expect(decoded(text)).toBe(value));

test.each([
  ["http://a.test/", undefined],
  ["http://me%40home:p%C3%A4ss@a.test/", "me@home:päss"],
  ["http://me@a.test/", "me:"],
  ["http://:key@a.test/", ":key"],
  ["http://me:100%@a.test/", "me:100%"],
])("the credentials of %s", (address, pair) => {
  const basic = basicOf(new URL(address));
  expect(basic && Buffer.from(basic, "base64").toString()).toBe(pair);
});

test.each([
  ["file:///a/é b", "file:///a/%C3%A9%20b"],
  ["NOTE://x", "note://x"],
  ["users/me", undefined],
])("%s as those write it who parse it", (text, normal) => expect(normalUri(text)).toBe(normal));
