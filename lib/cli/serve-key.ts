/** The start key of `serve`: what the person who started it may decide and change with, kept for the time that it runs. */
import { type Log } from "../base/log.ts";
import { baseName, joinPath, ourPaths } from "../config/paths.ts";
import type { Io } from "./types.ts";

/** 256 bits that nobody can guess. */
export function newKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

export interface KeptKey extends AsyncDisposable {
  /** Where it lies; undefined where it could not be kept. */
  file: string | undefined;
}

/** Where it is listened. */
export interface Where {
  port: number | undefined;
  unix: string | undefined;
}

/** The file of the key as a program of this machine may be told it: below the home, or by its last name alone. */
export function keyPlace(where: Where, env: Io["env"]): string | undefined {
  const file = fileOf(where, env);
  const { home } = ourPaths(env);
  if (file === undefined || home === undefined || !file.startsWith(joinPath(home, "")))
    return file && `…/${baseName(file)}`;
  return `~${file.slice(home.length)}`;
}

/**
 * Writes it for our user alone; disposing takes it away, unless another has written there since. That it cannot be kept is
 * told as a warning, where no token (`hasToken`) does what it does.
 */
export async function keepKey(
  key: string,
  { hasToken, ...where }: Where & { hasToken: boolean },
  io: Pick<Io, "env">,
  log: Log,
): Promise<KeptKey> {
  const file = fileOf(where, io.env);
  const { readValue, writePrivate } = await import("../config/files.ts");
  try {
    if (file === undefined)
      throw new Error("there is no folder for it, set HOME or XDG_STATE_HOME");
    await writePrivate(file, `${key}\n`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const otherwise = hasToken
      ? "a token does all that it does"
      : "to decide and change things, start it with --token-file or MCPHOST_TOKEN";
    const text = `the start key could not be kept: ${why}; ${otherwise}`;
    log({ level: hasToken ? "info" : "warn", text });
    return { file: undefined, [Symbol.asyncDispose]: async () => {} };
  }
  return {
    file,
    async [Symbol.asyncDispose]() {
      const kept = await readValue(file).catch(() => undefined);
      if (kept?.trim() === key)
        await Bun.file(file)
          .delete()
          .catch(() => {});
    },
  };
}

// --- internal ---

function fileOf({ port, unix }: Where, env: Io["env"]): string | undefined {
  const { state } = ourPaths(env);
  const name = port ?? baseName(unix ?? "");
  return state === undefined ? undefined : joinPath(state, `serve-${name}.key`);
}
