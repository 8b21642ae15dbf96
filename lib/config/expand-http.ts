/** Fills in what a server that is reached over HTTP has and others have not. Loaded for such a server only. */
import { isUrl } from "./links.ts";
import type { Env } from "./paths.ts";
import { secretsOfHeader, secretsOfUrl } from "./secrets.ts";
import type { HttpServer, ServerTls } from "./types.ts";
import type { Values } from "./values.ts";

/** The entry with address, headers and `tls` filled in. @throws HostError `config` */
export async function expandHttp(
  server: HttpServer,
  values: Values,
  env: Env,
): Promise<{ server: HttpServer; secrets: () => string[] }> {
  const url = await values.text(server.url, "url");
  if (!isUrl(url) || !URL.canParse(url))
    throw values.error("url", "expected an address such as https://example.com/mcp");
  const headers: Record<string, string> = Object.create(null);
  for (const [name, written] of Object.entries(server.headers)) {
    const value = await values.text(written, `headers.${name}`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw values.error(
        `headers.${name}`,
        "a header holds no line end, no other control character, and nothing beyond Latin-1",
      );
    headers[name] = value;
  }
  const tls = server.tls && { tls: await expandTls(server.tls, values) };
  const expanded: HttpServer = { ...server, url, headers, ...tls };
  return {
    server: expanded,
    secrets: () => [...secretsOfHttp(expanded), ...secretsOfProxies(env)],
  };
}

// --- internal ---

async function expandTls(written: ServerTls, values: Values): Promise<ServerTls> {
  const tls: ServerTls = { ...written };
  if ((tls.cert === undefined) !== (tls.key === undefined))
    throw values.error("tls", "cert and key belong together", {
      hint: "where one file holds both, name it twice",
    });
  for (const key of ["ca", "cert", "key"] as const) {
    const field = `tls.${key}`;
    const text = written[key];
    if (text === undefined) continue;
    const value = await values.text(text, field);
    // A secret is the text itself, and no path that could be shown.
    const isFile = !isPem(value) && !/\$\{(secret|input):|\{file:/.test(text);
    tls[key] = isFile ? await values.file(value, field) : value;
    const kind = key === "key" ? "PRIVATE KEY" : "CERTIFICATE";
    if (!tls[key].includes(`${kind}-----`))
      throw values.error(field, `expected a ${kind.toLowerCase()} in PEM form`);
  }
  if (written.passphrase !== undefined)
    tls.passphrase = await values.text(written.passphrase, "tls.passphrase");
  return tls;
}

function isPem(text: string): boolean {
  return text.includes("-----BEGIN ");
}

function secretsOfHttp({ url, headers, tls = {} }: HttpServer): string[] {
  const own = [tls.key, tls.passphrase].filter((value) => value !== undefined);
  return [...secretsOfUrl(url), ...Object.values(headers).flatMap(secretsOfHeader), ...own];
}

/** Credentials of the proxies that it may be reached through, with or without a scheme before them. */
function secretsOfProxies(env: Env): string[] {
  const names = ["http_proxy", "https_proxy", "all_proxy"];
  return names
    .flatMap((name) => [env[name] ?? "", env[name.toUpperCase()] ?? ""])
    .flatMap((value) => secretsOfUrl(value.includes("://") ? value : `http://${value}`));
}
