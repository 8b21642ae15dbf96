/**
 * The authorities to trust besides the usual ones, as an environment names them (`NODE_EXTRA_CA_CERTS SSL_CERT_FILE
 * SSL_CERT_DIR`). What cannot be read is left out. Loaded only when a certificate was not trusted.
 */
import { readdir } from "node:fs/promises";
import { rootCertificates } from "node:tls";

/** The usual ones and those of the environment, as PEM; empty where the environment adds none. */
export async function authoritiesOf(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const divider = process.platform === "win32" ? ";" : ":";
  const folders = (env.SSL_CERT_DIR ?? "").split(divider).filter((folder) => folder !== "");
  const files = [env.NODE_EXTRA_CA_CERTS, env.SSL_CERT_FILE].filter((file) => file);
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    files.push(...names.slice(0, filesMax).map((name) => `${folder}/${name}`));
  }
  const texts = await Promise.all(files.map((file) => pemIn(file ?? "")));
  const found = texts.filter((text) => text.includes("-----BEGIN CERTIFICATE-----"));
  return found.length === 0 ? [] : [...rootCertificates, ...found];
}

// --- internal ---

const filesMax = 1000;
const fileBytesMax = 4 * 1024 * 1024;

async function pemIn(path: string): Promise<string> {
  const file = Bun.file(path);
  const isFile = await file.stat().then(
    (stat) => stat.isFile(),
    () => false,
  );
  return isFile
    ? await file
        .slice(0, fileBytesMax)
        .text()
        .catch(() => "")
    : "";
}
