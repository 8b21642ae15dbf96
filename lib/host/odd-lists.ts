/**
 * What is odd in the lists of servers, said once for each list: for hosts that live long, whose clients only see what is left
 * of them.
 */
import type { Log } from "../base/log.ts";
import type { ListName } from "../protocol/subscriptions.ts";
import type { ToolListing } from "./types.ts";

export class OddLists {
  readonly #log: Log;
  /** By kind of list and server, as it was said of the list before. */
  readonly #said = new Map<string, ReadonlySet<string>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param list which list it is
   * @param names the servers that were listed
   */
  tell(
    list: ListName,
    { warnings, failed }: Pick<ToolListing, "warnings" | "failed">,
    names: Iterable<string>,
  ): void {
    for (const server of names) {
      if (failed.some((one) => one.server === server)) continue;
      const texts = warnings.filter((one) => one.server === server).map(({ text }) => text);
      const key = `${list} ${server}`;
      const said = this.#said.get(key);
      for (const text of texts) if (!said?.has(text)) this.#log({ level: "warn", server, text });
      if (texts.length > 0) this.#said.set(key, new Set(texts));
      else this.#said.delete(key);
    }
  }
}
