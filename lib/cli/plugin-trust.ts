/** Trust in a plugin that a found config names: by its entry, the folder of the config, and the bytes of its file. */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { ourPaths } from "../config/paths.ts";
import type { Trusted } from "../config/trust.ts";
import { trustStore } from "../config/trust.ts";
import { questions } from "./ask.ts";
import type { PlacedPlugin } from "./plugin-places.ts";
import { shellQuote } from "./tool-help.ts";
import type { Io } from "./types.ts";
import { visibleLine } from "./visible.ts";

/** What trust is kept of: another byte in its file, and it is asked about anew. What that file imports is not looked at. */
export async function trustedPlugin({
  spec,
  written,
  origin,
  file,
}: PlacedPlugin): Promise<Trusted> {
  const bytes = await bytesOf(file).catch(() => undefined);
  const sha256 = bytes && new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { name: `plugin ${spec}`, origin, written: { plugin: written as never, sha256 } };
}

/** Everything that a person must see of it before trusting it. */
export function pluginWords({ spec, origin, file }: PlacedPlugin): string {
  const lines = [
    `plugin "${spec}"`,
    `  in      ${origin.file ?? origin.label}`,
    `  runs    ${file} in this very process`,
  ];
  return lines.map(visibleLine).join("\n");
}

/** Lets it through if it is trusted, or if the person says so now. @throws HostError `denied` */
export async function ensurePluginTrusted(
  plugin: PlacedPlugin,
  { io, log }: { io: Io; log: Log },
): Promise<void> {
  const store = trustStore({ folder: ourPaths(io.env).state, log });
  const wanted = await trustedPlugin(plugin);
  if (await store.isTrusted(wanted)) return;
  const words = pluginWords(plugin);
  const asked = questions(io);
  const text = `${words}\n  It was found here, you did not name it, and it can do all that you can.\n  Trust it?`;
  if (await asked?.confirm(text)) {
    await store.add([wanted]);
    return;
  }
  const file = plugin.origin.label;
  const named = shellQuote(plugin.origin.file ?? file);
  throw new HostError(
    "denied",
    `plugin ${plugin.spec} of ${file} was found, not named, and is not trusted`,
    {
      facts: { plugin: plugin.spec, file: plugin.file, entry: words },
      hint: `mcphost trust shows it and asks; --trust trusts it for this run; -c ${named} names it`,
    },
  );
}

// --- internal ---

/** 64 MiB. */
const fileBytesMax = 67_108_864;

/** Undefined for what is no regular file, whose size is without end: reading it might never end. */
async function bytesOf(path: string): Promise<Uint8Array | undefined> {
  const file = Bun.file(path);
  return file.size > fileBytesMax ? undefined : await file.bytes();
}
