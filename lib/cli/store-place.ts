/** Where the store lies, by the config: references filled in, files seen from the folder of the config. */
import { ourPaths, resolvePath } from "../config/paths.ts";
import { secretsOfUrl } from "../config/secrets.ts";
import type { Config } from "../config/types.ts";
import { storeFile } from "../store/store.ts";
import type { StoreOptions } from "../store/store.ts";
import type { Io } from "./types.ts";

/** Whether there may be a store: a database elsewhere, or a file that is there. */
export async function isStore(place: Pick<StoreOptions, "url" | "folder">): Promise<boolean> {
  const file = storeFile(place);
  return file === undefined ? place.url !== undefined : await Bun.file(file).exists();
}

/** Whether its file is not there yet: nothing is in it, and who only looks makes none. */
export async function isUnmade(place: Pick<StoreOptions, "url" | "folder">): Promise<boolean> {
  return storeFile(place) !== undefined && !(await isStore(place));
}

/** What is secret in it is hidden from then on. @throws HostError `config`: a reference means nothing */
export async function storePlace(
  { records: { store, origin } }: Pick<Config, "records">,
  io: Io,
): Promise<Pick<StoreOptions, "url" | "folder">> {
  const { state: folder, home } = ourPaths(io.env);
  if (store === undefined) return { folder };
  const [{ Values }, { readValue }] = await Promise.all([
    import("../config/values.ts"),
    import("../config/files.ts"),
  ]);
  const from = origin ?? { label: "config", kind: "named" as const };
  const common = { env: io.env, cwd: io.cwd, home, given: new Map(), inputs: {} };
  const values = new Values(
    { name: "store", origin: from },
    { ...common, readFile: readValue },
    `store of ${from.label}`,
  );
  const place = await values.text(store, "store");
  const isUrl = /^postgres(ql)?:/.test(place);
  const secrets = [...values.secrets, ...(isUrl ? secretsOfUrl(place) : [])];
  io.secrets?.later(() => secrets);
  if (isUrl) return { url: place, folder };
  const path = place.startsWith("~/") && home !== undefined ? home + place.slice(1) : place;
  return { url: resolvePath(values.folder, path), folder };
}
