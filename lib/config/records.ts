/** `store` and `audit` of a config file: what is kept of calls, and where. Pure. */
import type { JsonObject } from "../base/json.ts";
import type { Origin } from "./origin.ts";
import { folderOf, resolvePath } from "./paths.ts";
import { AuditSchema, StoreSchema } from "./schema.ts";
import { check } from "./sections.ts";
import type { RecordSettings } from "./setting-types.ts";

/** Files are seen from the folder of the config. @throws HostError `config` */
export function readRecords(
  { store, audit }: JsonObject,
  origin: Origin,
  cwd: string,
): RecordSettings {
  const settings: RecordSettings = {};
  if (store !== undefined) {
    settings.store = check(StoreSchema, store, origin, "store");
    settings.origin = origin;
  }
  if (audit === undefined) return settings;
  const given = check(AuditSchema, audit, origin, "audit");
  if (typeof given === "boolean") return { ...settings, audit: given };
  const { file, stderr, days, eventsMax } = given;
  const folder = origin.file === undefined ? cwd : folderOf(origin.file);
  return {
    ...settings,
    audit: true,
    ...(file !== undefined && { file: resolvePath(folder, file) }),
    ...(stderr !== undefined && { stderr }),
    ...(days !== undefined && { days }),
    ...(eventsMax !== undefined && { eventsMax }),
  };
}
