/** One body of tests over both databases: where a store lies, and calls to put into it. */
import type { LogEntry } from "../../lib/base/log.ts";
import { openStore } from "../../lib/store/store.ts";
import type { Store, StoreOptions } from "../../lib/store/store.ts";
import type { NewApproval, ServerKey } from "../../lib/store/types.ts";
import { type TempDir, tempDir } from "../harness.ts";
import type { Postgres } from "./postgres.ts";

/** A fresh place for stores of one database. */
export interface Place extends AsyncDisposable {
  url: string;
  /** What all stores here have logged. */
  logged: LogEntry[];
  open(options?: Partial<StoreOptions>): Promise<Store>;
}

export type Kind = "sqlite" | "postgres";

/** @param postgres where the kind is `postgres` */
export async function place(kind: Kind, postgres: Postgres | undefined): Promise<Place> {
  const dir: TempDir | undefined = kind === "sqlite" ? await tempDir() : undefined;
  const url = dir?.file("state", "store.db") ?? (await postgres!.fresh());
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const opened: Store[] = [];
  return {
    url,
    logged,
    async open(options) {
      const store = await openStore({ url, folder: undefined, log, ...options });
      opened.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await dir?.[Symbol.asyncDispose]();
    },
  };
}

/** The server of the calls below. */
export const files: ServerKey = { name: "files", config: "c1" };

/** A call to be asked about. */
export function asked(more: Partial<NewApproval> = {}): NewApproval {
  return {
    id: crypto.randomUUID(),
    owner: "default",
    server: "files",
    tool: "write",
    actor: "model",
    session: "s1",
    question: "a rule says so",
    proposed: { path: "/etc/hosts" },
    definition: "d1",
    config: "c1",
    survives: false,
    expiresAt: Date.now() + 60_000,
    ...more,
  };
}
