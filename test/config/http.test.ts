/** What a config says of a server that is reached by a URL: limits, secrets, trust, and what is shown of them. */
import { expect, test } from "bun:test";

import { shownConfig } from "../../lib/cli/config-show.ts";
import { entryWords } from "../../lib/cli/consent.ts";
import { expandServer } from "../../lib/config/expand.ts";
import { configJsonSchema } from "../../lib/config/json-schema.ts";
import { redact } from "../../lib/config/redact.ts";
import { trustHash } from "../../lib/config/trust.ts";
import { context, read, url } from "./http-kit.ts";

test("the credentials of proxies are secrets, plain and packed", async () => {
  for (const scheme of ["", "http://"]) {
    const { server: far } = await read({ url: "http://far.test/mcp" });
    const env = { HTTPS_PROXY: `${scheme}user:pr0xyPassword@proxy.test:3128` };
    const { secrets } = await expandServer(far, context("/", env));
    const packed = btoa("user:pr0xyPassword");
    const text = `Proxy-Authorization: Basic ${packed}, that is pr0xyPassword, at proxy.test`;
    const hidden = "Proxy-Authorization: Basic ***, that is ***, at proxy.test";
    expect(redact(text, secrets())).toBe(hidden);
  }
});

test("times, limits, and the auth of a later version are read without a word", async () => {
  const { config, server } = await read(
    { auth: { type: "oauth" }, timeoutMs: 5, startTimeoutMs: 6, oauth: {}, transport: "sse" },
    { limits: { responseBytesMax: 7, connectTimeoutMs: 8 } },
  );
  expect(config.warnings).toEqual([]);
  expect(server).toMatchObject({ timeoutMs: 5, startTimeoutMs: 6, transport: "sse" });
  expect(config.limits).toEqual({ responseBytesMax: 7, connectTimeoutMs: 8 });
});

test("the JSON Schema knows tls and the limits", async () => {
  const text = JSON.stringify(await configJsonSchema());
  for (const word of ['"tls"', '"insecure"', '"responseBytesMax"', '"connectTimeoutMs"'])
    expect(text).toContain(word);
});

test("config --show shows files and references, and nothing that may be secret (B095)", async () => {
  const { config } = await read({
    url: "https://u:s3cr3t-5@docs.example.com/mcp?key=s3cr3t-6",
    headers: { Authorization: "Bearer s3cr3t-4", "X-Token": "${TOKEN}" },
    tls: {
      ca: "ca.pem",
      cert: "c.pem",
      key: "-----BEGIN PRIVATE KEY-----\ns3cr3t-7",
      passphrase: "s3cr3t-8",
      insecure: true,
    },
  });
  const shown = JSON.parse(JSON.stringify(shownConfig(config)));
  expect(JSON.stringify(shown)).not.toContain("s3cr3t");
  expect(shown.servers[0].headers).toEqual({ Authorization: "***", "X-Token": "${TOKEN}" });
  expect(shown.servers[0].tls).toEqual({
    ca: "ca.pem",
    cert: "c.pem",
    key: "***",
    passphrase: "***",
    insecure: true,
  });
});

test("what is asked before trusting names address, headers with what they send, and certificates", async () => {
  const { server } = await read({
    headers: {
      Authorization: "Bearer ${TOKEN}",
      "X-Key": "s3cr3t-1 ${secret:key}",
      "X-Org": "${ORG:-a ${OTHER:-${THIRD}}}",
    },
    tls: { ca: "ca.pem", cert: "c.pem", key: "k.pem", insecure: true },
  });
  const lines = entryWords(server).split("\n").slice(2);
  expect(lines).toEqual([
    "  reaches https://docs.example.com/mcp",
    "  headers Authorization (${TOKEN}), X-Key (${secret:key}), X-Org (${ORG} ${OTHER} ${THIRD})",
    "  trusts  ca.pem",
    "  shows   the certificate c.pem",
    "  checks  no certificate: anybody on the way can read it",
  ]);
});

test("trust is of all that is written", () => {
  const entry = { url, headers: { A: "1" }, tls: { ca: "ca.pem" } };
  const hashes = [
    entry,
    { ...entry, url: `${url}/` },
    { ...entry, headers: { A: "2" } },
    { ...entry, tls: { ca: "other.pem" } },
    { ...entry, tls: { ca: "ca.pem", insecure: true } },
  ].map((one) => trustHash(one, "/proj"));
  expect(new Set(hashes).size).toBe(hashes.length);
});
