/** What the status of a refusal tells a person. */
import { expect, test } from "bun:test";

import { hasCredentials } from "../../lib/transport/remote.ts";
import { codeOfStatus, statusHint } from "../../lib/transport/status.ts";

const url = "http://user:s3cr3t@127.0.0.1:1/mcp?key=s3cr3t";

test.each<[number, object, RegExp | undefined]>([
  [401, {}, /^give it a token in its headers/],
  [401, { hasToken: true }, /^the credentials that it was given are refused/],
  [403, {}, /^it may want a token .*: try localhost for 127\.0\.0\.1$/],
  [403, { hasToken: true }, /^the credentials that it was given do not allow this;/],
  [404, {}, /^there is no MCP at http:\/\/127\.0\.0\.1:1\/mcp: .* \/sse$/],
  [405, {}, /^no messages are taken at http:\/\/127\.0\.0\.1:1\/mcp: /],
  [429, {}, /try again later$/],
  [429, { retryAfterMs: 3_600_000 }, /try again in 60 min$/],
  [429, { retryAfterMs: 1500 }, /try again in 2 s$/],
  [503, { retryAfterMs: 86_400_000 }, /try again in 24 h$/],
  [502, {}, /a proxy.*is the server up\?$/],
  [524, {}, /a proxy.*is the server up\?$/],
  [500, {}, /its log may tell$/],
  [400, {}, undefined],
])("%d %j", (status, more, expected) => {
  const hint = statusHint({ status, url, ...more });
  if (expected === undefined) expect(hint).toBeUndefined();
  else expect(hint).toMatch(expected);
  expect(hint ?? "").not.toContain("s3cr3t");
});

test("a sign-in is what 401 and 403 ask for", () => {
  const codes = [401, 403, 404].map((status) => codeOfStatus(status, "rpc_error"));
  expect(codes).toEqual(["auth_required", "auth_required", "rpc_error"]);
});

test("credentials stand in the address, or in a header", () => {
  expect(hasCredentials(url)).toBe(true);
  expect(hasCredentials("http://h/", { authorization: "x" })).toBe(true);
  expect(hasCredentials("http://h/", { "X-Key": "x" })).toBe(false);
});
