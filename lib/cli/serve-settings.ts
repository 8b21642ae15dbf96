/** From the flags and the config to where and how `serve` listens. Everything is checked here, and nothing opened. */
import { HostError } from "../base/errors.ts";
import { pageOrigin } from "../config/page-origin.ts";
import { resolvePath } from "../config/paths.ts";
import type { Config } from "../config/types.ts";
import type { ServeOptions } from "../serve/serve-types.ts";
import type { Token } from "../serve/types.ts";
import { listOf, textOf } from "./flags.ts";
import type { Io, Parsed } from "./types.ts";

/** Where and how to listen. @throws HostError `usage` */
export async function listeningOf(
  { flags }: Parsed,
  io: Io,
): Promise<Pick<ServeOptions, "unix" | "tls">> {
  const unix = textOf(flags["unix"]);
  if (unix !== undefined && (flags["host"] !== undefined || flags["port"] !== undefined))
    throw new HostError("usage", "--unix takes the place of --host and --port");
  const [cert, key] = [textOf(flags["cert"]), textOf(flags["key"])];
  if ((cert === undefined) !== (key === undefined))
    throw new HostError("usage", "--cert and --key belong together");
  return {
    ...(unix !== undefined && { unix: resolvePath(io.cwd, unix) }),
    ...(cert !== undefined &&
      key !== undefined && {
        tls: { cert: await pemOf(cert, "--cert", io), key: await pemOf(key, "--key", io) },
      }),
  };
}

/** The config's settings under the flags. @throws HostError `usage` */
export function settingsOf(
  { flags }: Parsed,
  { serve }: Config,
  tokens: readonly Token[],
): Partial<ServeOptions> {
  const port = portOf(textOf(flags["port"])) ?? serve.port;
  const hostname = textOf(flags["host"]) ?? serve.host;
  const { publicUrl } = serve;
  return {
    ...(port !== undefined && { port }),
    ...(hostname !== undefined && { hostname }),
    ...(publicUrl !== undefined && { publicUrl }),
    origins: [...(serve.origins ?? []), ...listOf(flags["origin"]).map(checkedOrigin)],
    tokens,
  };
}

// --- internal ---

async function pemOf(file: string, flag: string, io: Io): Promise<string> {
  const { readValue } = await import("../config/files.ts");
  const text = await readValue(resolvePath(io.cwd, file));
  if (text === undefined) throw new HostError("usage", `there is no file ${file} (${flag})`);
  if (!text.includes("-----BEGIN "))
    throw new HostError("usage", `${file} (${flag}) holds nothing in PEM form`);
  return text;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new HostError("usage", `--port ${text}: a port is a number from 0 to 65535`);
}

function checkedOrigin(text: string): string {
  if (pageOrigin.test(text)) return text;
  throw new HostError("usage", `--origin ${text}: an origin is written as http://localhost:8080`);
}
