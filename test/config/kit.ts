/** Small helpers of the config tests: a folder of files that goes away, and configs from text. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { type HostError, isHostError } from "../../lib/base/errors.ts";
import { loadConfig, type LoadOptions } from "../../lib/config/load.ts";
import type { Config, ServerConfig } from "../../lib/config/types.ts";
import { type TempDir, tempDir } from "../harness.ts";

/** A new folder holding the given files; removed when disposed. */
export async function folderWith(files: Record<string, string> = {}): Promise<TempDir> {
  const folder = await tempDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(folder.file(name)), { recursive: true });
    await writeFile(folder.file(name), text);
  }
  return folder;
}

/** A config from one file's text, as `-c` reads it. */
export async function configOf(text: string, name = "servers.json"): Promise<Config> {
  await using folder = await folderWith({ [name]: text });
  return await load({ files: [name], cwd: folder.path });
}

/** `loadConfig` in a world that holds nothing but what is given. */
export async function load(options: Partial<LoadOptions> & { cwd: string }): Promise<Config> {
  return await loadConfig({ env: {}, noUserConfig: options.env === undefined, ...options });
}

/** A server without what says where it was written. */
export function plain(server: ServerConfig | undefined): Record<string, unknown> {
  if (!server) return {};
  const { origin: _origin, written: _written, ...rest } = server;
  return rest;
}

/** The error that a promise or a function ends in. */
export async function errorOf(run: () => unknown): Promise<HostError> {
  try {
    await run();
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error("expected an error");
}

/** The text of a config with one server. */
export const one = (name: string, command = name) =>
  JSON.stringify({ mcpServers: { [name]: { command } } });

/** The names of its servers. */
export const names = (config: { servers: { name: string }[] }) =>
  config.servers.map((server) => server.name);
