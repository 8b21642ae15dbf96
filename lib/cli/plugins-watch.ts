/** Plugins that are edited while a command runs for long are loaded again. What they import is not watched. */
import type { Log } from "../base/log.ts";
import { FilesWatch } from "../serve/servers-watch.ts";
import type { LoadedPlugins } from "./plugins.ts";

/** Until disposed. */
export async function watchPlugins(plugins: LoadedPlugins, log: Log): Promise<Disposable> {
  const watch = new FilesWatch({ log, onChange: () => void plugins.reload() });
  await watch.follow(plugins.files, plugins.readAt);
  return watch;
}
