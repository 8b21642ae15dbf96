/** Grants: what may be called without asking again, and the tool definitions that they and approvals were given for. */
import { parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Db } from "./db.ts";
import { column, grantOf, later } from "./rows.ts";
import type { Row } from "./rows.ts";
import type { Grant, NewGrant } from "./types.ts";

/** @throws each, HostError `config`: the store cannot be asked */
export class Grants {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async add(given: NewGrant): Promise<Grant> {
    const grant: Grant = { ...given, id: crypto.randomUUID(), createdAt: this.#db.now() };
    const row = {
      id: grant.id,
      owner: column(grant.owner),
      server: column(grant.server),
      tool: grant.tool === undefined ? null : column(grant.tool),
      arguments: grant.arguments ?? null,
      session: grant.session ?? null,
      config: grant.config,
      definitions: JSON.stringify(grant.definitions),
      created_at: grant.createdAt,
      expires_at: grant.expiresAt === undefined ? null : later(grant.expiresAt),
      granted_by: column(grant.grantedBy),
    };
    await this.#db.write(
      (tx) => tx`insert into mcphost_grants ${tx(row)} on conflict (id) do nothing`,
    );
    return grant;
  }

  /** Those that hold now, the newest first. @param server of that server alone */
  async list(owner: string | undefined, server?: string): Promise<Grant[]> {
    const now = this.#db.now();
    const rows = await this.#db.read<Row[]>((sql) => {
      const own = owner === undefined ? sql`` : sql`and owner = ${owner}`;
      const its = server === undefined ? sql`` : sql`and server = ${column(server)}`;
      // One that was given in the future comes from a clock that was wrong: which one is nobody's guess.
      return sql`select * from mcphost_grants
        where (expires_at is null or (expires_at > ${now} and created_at <= ${now + skewMs}))
        ${own} ${its} order by created_at desc, id`;
    });
    return rows.map(grantOf);
  }

  /** False: there is none. */
  async revoke(owner: string | undefined, id: string): Promise<boolean> {
    // Twice where the connection is lost in between: the first is what counts.
    let isRevoked = false;
    await this.#db.write(async (tx) => {
      const own = owner === undefined ? tx`` : tx`and owner = ${owner}`;
      const rows: Row[] = await tx`delete from mcphost_grants where id = ${id} ${own} returning id`;
      isRevoked ||= rows.length > 0;
    });
    return isRevoked;
  }

  /** Those of a session that has ended. */
  async endSession(session: string): Promise<void> {
    await this.#db.write((tx) => tx`delete from mcphost_grants where session = ${session}`);
  }

  /** Keeps a tool's definition under its hash, to show later what has changed. */
  async keepDefinition(hash: string, definition: JsonObject): Promise<void> {
    const now = this.#db.now();
    const json = JSON.stringify(definition);
    await this.#db.write(
      (tx) => tx`insert into mcphost_definitions (hash, definition, seen_at)
        values (${hash}, ${json}, ${now}) on conflict (hash) do update set seen_at = ${now}`,
    );
  }

  async definition(hash: string): Promise<JsonObject | undefined> {
    const [row] = await this.#db.read<Row[]>(
      (sql) => sql`select definition from mcphost_definitions where hash = ${hash}`,
    );
    return row && (parseJson(String(row["definition"])) as JsonObject);
  }
}

// --- internal ---

const skewMs = 300_000;
