/** What a guest's own servers are asked and tell, beside what every host is and has. Types only. */
import type { JsonObject } from "../base/json.ts";

/** Hears one notification of a server. */
export type NoticeListener = (server: string, method: string, params: JsonObject) => void;

/** Of the servers of a guest, those that have a process, or a session, for its client alone. */
export interface OwnServers {
  owns(server: string): boolean;
  /** The client has other roots now: those that may ask it for them are told. */
  rootsChanged(): void;
  /** Tells one of them something, if it runs. */
  tell(server: string, method: string, params: JsonObject): void;
  /** Hears what they send of their own accord, but progress, cancellations and logs, until disposed. */
  onNotice(listener: NoticeListener): Disposable;
}
