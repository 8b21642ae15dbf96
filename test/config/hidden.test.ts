/** What is a secret in words that people write, and how it is hidden. */
import { expect, test } from "bun:test";

import { redact } from "../../lib/config/redact.ts";
import { secretsOfArgument, secretsOfHeader, secretsOfUrl } from "../../lib/config/secrets.ts";

test.each<[before: string, argument: string, secrets: string[]]>([
  ["-e", "TOKEN=s3cr3t-1", ["s3cr3t-1"]],
  ["-e", "token=s3cr3t-1", ["s3cr3t-1"]],
  ["--env", "a.b=s3cr3t-1", ["s3cr3t-1"]],
  ["", "--env=A=s3cr3t-1", ["s3cr3t-1"]],
  ["", "-eA=s3cr3t-1", ["s3cr3t-1"]],
  ["--api-key", "s3cr3t-1", ["s3cr3t-1"]],
  ["", "--apiKey=s3cr3t-1", ["s3cr3t-1"]],
  ["--header", "Authorization: Bearer s3cr3t-1", ["Bearer s3cr3t-1", "s3cr3t-1"]],
  ["", "postgres://u:s3cr3t-1@h/d?a=s3cr3t-2", ["s3cr3t-1", "s3cr3t-2", "dTpzM2NyM3QtMQ=="]],
  ["--token", "--verbose", []],
  ["--token-file", "/run/secrets/token", []],
  ["--verbose", "plain-word", []],
  ["", "path=some-folder", []],
])("%s %s holds %p", (before, argument, secrets) => {
  expect([...new Set(secretsOfArgument(argument, before))].toSorted()).toEqual(secrets.toSorted());
});

test("a scheme alone is no secret; what stands behind it is, clipped or packed, too", () => {
  const bearer = secretsOfHeader("Bearer wrongtoken");
  expect(redact("--header 'Authorization: Bearer …'", bearer)).toContain("Bearer …");
  expect(redact("Bearer wrong…", bearer)).toBe("***…");
  expect(redact("Bearer wrongtoken", bearer)).toBe("***");
  // A token that is too short to be a form of its own.
  expect(redact("--header 'Authorization: Bearer …'", ["Bearer wrong"])).toContain("Bearer …");
  expect(redact("Bearer wron…", ["Bearer wrong"])).toBe("***…");
  const basic = secretsOfHeader(`Basic ${btoa("user:pa55word99")}`);
  expect(redact("who is user with pa55word99?", basic)).toBe("who is user with ***?");
  const url = secretsOfUrl("http://user:pa55word99@h/");
  expect(redact(`bad token Basic ${btoa("user:pa55word99")}`, url)).toBe("bad token Basic ***");
});

test.each([
  ["/s/PaThSeCrEt-1234abcd/mcp", ["PaThSeCrEt-1234abcd"]],
  ["/s/3f9c2d1e4b567a89/mcp", ["3f9c2d1e4b567a89"]],
  ["/api/mcp/0b0d3c8e-3a0e-4d39-9d3a-2f8f0c1a7b55", ["0b0d3c8e-3a0e-4d39-9d3a-2f8f0c1a7b55"]],
  ["/v1/2025-11-25/some-server-name-v2/mcp", []],
  ["/MyServerName2024/mcp.v1", []],
])("of the path of an address, what is no name is a secret: %s", (path, secrets) => {
  expect(secretsOfUrl(`https://host${path}`)).toEqual(secrets);
});

test("hides a key as a host name has it, in small letters", () => {
  const key = "AbCdEfGhIjKlMnOp12345678";
  expect(redact("redirects to http://abcdefghijklmnop12345678.test", [key])).not.toContain("abc");
});

test("hides secrets by their values, the longest first, in the forms of JSON and URLs too", () => {
  const secrets = [
    "s3cr3t",
    "s3cr3t-long",
    'quo"te\\d',
    "p@ss w0rd",
    "1",
    "",
    "line one\nline two",
  ];
  expect(redact("a s3cr3t-long b s3cr3t c 1", secrets)).toBe("a *** b *** c 1");
  expect(redact(JSON.stringify({ k: 'quo"te\\d' }), secrets)).toBe(`{"k":"***"}`);
  expect(redact("http://x/?k=p%40ss%20w0rd", secrets)).toBe("http://x/?k=***");
  expect(redact("> line two", secrets)).toBe("> ***");
  const log = JSON.stringify({ text: JSON.stringify({ k: 'quo"te\\d' }) });
  expect(redact(log, secrets)).not.toContain("quo");
  expect(redact(`b64 ${btoa("s3cr3t-long")}`, secrets)).toBe("b64 ***=");
  // Clipped in its middle.
  expect(redact("key s3cr3t-lo… and p@ss w…, s3c…", ["s3cr3t-long", "p@ss w0rd"])).toBe(
    "key ***… and ***…, s3c…",
  );
  expect(redact("\ud800", ["\ud800\ud800\ud800\ud800\ud800\ud800"])).toBe("\ud800");
});
