/** What a config says of a server that is reached by a URL: headers, certificates, limits, and what is shown of them. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { shownConfig } from "../../lib/cli/config-show.ts";
import { entryWords } from "../../lib/cli/consent.ts";
import { expandServer } from "../../lib/config/expand.ts";
import { readValue } from "../../lib/config/files.ts";
import { configJsonSchema } from "../../lib/config/json-schema.ts";
import { redact } from "../../lib/config/redact.ts";
import { trustHash } from "../../lib/config/trust.ts";
import type { HttpServer } from "../../lib/config/types.ts";
import type { ExpandContext } from "../../lib/config/values.ts";
import { root } from "../harness.ts";
import { configOf, errorOf, folderWith, load } from "./kit.ts";

const certificates = join(root, "test/fixtures/tls");

const url = "https://docs.example.com/mcp";

/** One server `h` of a file, as it was read. */
async function read(entry: object, more: object = {}) {
  const config = await configOf(JSON.stringify({ mcpServers: { h: { url, ...entry } }, ...more }));
  return { config, server: config.servers[0] as HttpServer };
}

function context(folder: string, env: Record<string, string> = {}): ExpandContext {
  return { env, cwd: folder, home: "/home/me", given: new Map(), inputs: {}, readFile: readValue };
}

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

describe("tls", () => {
  test("files are read from the config's folder, and their text is the ready server's", async () => {
    const pem = await Bun.file(join(certificates, "ca.pem")).text();
    const key = await Bun.file(join(certificates, "client.key.pem")).text();
    await using folder = await folderWith({
      "ca.pem": pem,
      "keys/client.pem": pem,
      "keys/client.key.pem": key,
      "c.json": JSON.stringify({
        mcpServers: {
          h: {
            url,
            tls: {
              ca: "ca.pem",
              cert: "${WHERE}/client.pem",
              key: "./keys/client.key.pem",
              passphrase: "${PHRASE}",
              insecure: true,
            },
          },
        },
      }),
    });
    const { servers } = await load({ files: ["c.json"], cwd: folder.path });
    const env = { WHERE: "keys", PHRASE: "open-sesame" };
    const { server, secrets } = await expandServer(
      servers[0] as HttpServer,
      context("/elsewhere", env),
    );
    expect(server.tls).toEqual({
      ca: pem,
      cert: pem,
      key,
      passphrase: "open-sesame",
      insecure: true,
    });
    expect(secrets()).toContain("open-sesame");
    // No line of the key is shown, wherever it is cut.
    const [, line = ""] = key.split("\n");
    expect(redact(`bad key ${line}`, secrets())).toBe("bad key ***");
  });

  test("the text itself may be given", async () => {
    const key = await Bun.file(join(certificates, "client.key.pem")).text();
    const cert = await Bun.file(join(certificates, "client.pem")).text();
    const { server } = await read({ tls: { cert, key: "${secret:key}" } });
    const { server: ready } = await expandServer(server, context("/", { MCPHOST_SECRET_KEY: key }));
    expect(ready.tls).toEqual({ cert, key });
  });

  test.each([
    [{ ca: "missing.pem" }, /^server "h": tls\.ca: there is no file .*missing\.pem$/],
    [{ ca: "${UNSET}" }, /^server "h": tls\.ca: the environment variable UNSET is not set$/],
    [{ cert: "c.pem" }, /^server "h": tls: cert and key belong together$/],
    [{ key: "k.pem" }, /^server "h": tls: cert and key belong together$/],
    // A secret that is no PEM is no path either, and is not shown.
    [{ ca: "${secret:ca}" }, /^server "h": tls\.ca: expected a certificate in PEM form$/],
    [{ ca: "README.md" }, /^server "h": tls\.ca: expected a certificate in PEM form$/],
    [
      { cert: "test/fixtures/tls/ca.pem", key: "test/fixtures/tls/ca.pem" },
      /^server "h": tls\.key: expected a private key in PEM form$/,
    ],
  ])("%j is refused", async (tls, message) => {
    const { server } = await read({ tls });
    server.origin = { ...server.origin, file: join(root, "c.json") };
    const world = context("/", { MCPHOST_SECRET_CA: "s3cr3t-not-pem" });
    const error = await errorOf(() => expandServer(server, world));
    expect(error.code).toBe("config");
    expect(error.message).toMatch(message);
  });

  test.each([
    [{ ca: 1 }, "mcpServers.h.tls.ca: expected a string, found a number"],
    [{ insecure: "yes" }, "mcpServers.h.tls.insecure: expected true or false, found a string"],
    ["ca.pem", "mcpServers.h.tls: expected an object, found a string"],
  ])("%j is a bad server", async (tls, reason) => {
    const { config } = await read({ tls });
    expect(config.bad.map((bad) => bad.reason)).toEqual([reason]);
  });

  test("a key that nobody knows gets a hint, and has no effect (B008)", async () => {
    const { config, server } = await read({ tls: { insecur: true, ca: "ca.pem" } });
    expect(server.tls).toEqual({ ca: "ca.pem" });
    expect(config.warnings).toEqual([
      'servers.json: mcpServers.h: tls: nobody knows the key "insecur"; did you mean insecure?',
    ]);
  });

  test("no key of an object's prototype is taken", async () => {
    const config = await configOf(
      `{"mcpServers":{"h":{"url":"${url}","tls":{"__proto__":{"insecure":true}}}}}`,
    );
    expect((config.servers[0] as HttpServer).tls?.insecure).toBeUndefined();
  });
});

describe("headers", () => {
  test.each([
    ["a\u0001b", "a control character"],
    ["caf\u00e9 \u4e2d", "a character beyond Latin-1"],
    ["a\nb", "a line end"],
  ])("%j is refused: %s", async (value) => {
    const { server } = await read({ headers: { K: "${VALUE}" } });
    const error = await errorOf(() => expandServer(server, context("/", { VALUE: value })));
    expect(error.message).toStartWith('server "h": headers.K: a header holds no line end');
    expect(error.message).not.toContain(value);
  });

  test("--header goes over those of every server that has any, and is filled in (B007)", async () => {
    const config = await load({
      json: [
        JSON.stringify({
          mcpServers: { a: { url, headers: { authorization: "old" } }, b: { command: "x" } },
        }),
      ],
      cwd: "/",
      flags: { headers: ["Authorization: Bearer ${TOKEN}", "X-Org:  one "] },
    });
    const [a, b] = config.servers;
    const { server } = await expandServer(a as HttpServer, context("/", { TOKEN: "t0ken-1" }));
    expect(server.headers).toEqual({ Authorization: "Bearer t0ken-1", "X-Org": "one" });
    expect(b).not.toHaveProperty("headers");
  });

  test("a malformed --header is not shown", async () => {
    const error = await errorOf(() =>
      load({ servers: [url], cwd: "/", flags: { headers: ["s3cr3t value"] } }),
    );
    expect([error.code, error.message]).toEqual(["usage", "--header is written 'NAME: VALUE'"]);
  });
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
