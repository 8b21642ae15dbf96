/**
 * Approvals: every change of state is a compare-and-set, so that of all processes that share a store exactly one wins. It
 * decides nothing: who may, and whether arguments fit, is known elsewhere.
 */
import type { Db } from "./db.ts";
import type { Holding } from "./holding.ts";
import { approvalOf, column, later, nullable } from "./rows.ts";
import type { Row } from "./rows.ts";
import type { Approval, ApprovalState, Decision, NewApproval } from "./types.ts";

/** How a call ended that was run. */
export interface Settled {
  state: "completed" | "failed" | "uncertain";
  result?: string;
  reason?: string;
}

/** Of the owner; of everybody where it is undefined. @throws each, HostError `config`: the store cannot be asked */
export class Approvals {
  readonly #db: Db;
  readonly #holding: Holding;
  readonly #onChange: (id: string) => void;

  /** @param onChange told of each state that this process brought about */
  constructor(db: Db, holding: Holding, onChange: (id: string) => void) {
    this.#db = db;
    this.#holding = holding;
    this.#onChange = onChange;
  }

  /** Writes a call down as `pending`, held by this process. */
  async ask(asked: NewApproval): Promise<void> {
    const holder = await this.#holding.id();
    const row = {
      id: asked.id,
      owner: column(asked.owner),
      state: "pending",
      server: column(asked.server),
      tool: column(asked.tool),
      actor: asked.actor,
      session: asked.session,
      question: column(asked.question),
      proposed: JSON.stringify(asked.proposed),
      definition: asked.definition,
      config: asked.config,
      holder,
      survives: asked.survives ? 1 : 0,
      created_at: this.#db.now(),
      expires_at: later(asked.expiresAt),
    };
    await this.#db.write(
      (tx) => tx`insert into mcphost_approvals ${tx(row)} on conflict (id) do nothing`,
    );
    this.#onChange(asked.id);
  }

  async get(owner: string | undefined, id: string): Promise<Approval | undefined> {
    const [row] = await this.#db.read<Row[]>(
      (sql) => sql`select * from mcphost_approvals where id = ${id}`,
    );
    const approval = row && approvalOf(row);
    return owner === undefined || approval?.owner === owner ? approval : undefined;
  }

  /** The newest first, at most 1,000. */
  async list(owner: string | undefined, states: readonly ApprovalState[]): Promise<Approval[]> {
    const rows = await this.#db.read<Row[]>((sql) => {
      const own = owner === undefined ? sql`` : sql`and owner = ${owner}`;
      return sql`select * from mcphost_approvals where state in ${sql([...states])} ${own}
        order by created_at desc, id limit 1000`;
    });
    return rows.map(approvalOf);
  }

  /**
   * Decides a pending one, in time. The second that decides gets what the first made of it: `isFirst` is false.
   * Undefined: there is none. @param by such as `terminal`
   */
  async decide(
    owner: string | undefined,
    id: string,
    decision: Decision & { by: string },
  ): Promise<{ approval: Approval; isFirst: boolean } | undefined> {
    const now = this.#db.now();
    const token = crypto.randomUUID();
    const state = decision.approve ? "approved" : "rejected";
    const effective = decision.approve ? JSON.stringify(decision.arguments) : null;
    const always = decision.approve && decision.always ? JSON.stringify(decision.always) : null;
    const reason = decision.approve ? null : column(decision.reason);
    const changed = await this.#db.write(async (tx): Promise<boolean> => {
      const own = owner === undefined ? tx`` : tx`and owner = ${owner}`;
      const rows: Row[] = await tx`update mcphost_approvals
        set state = ${state}, effective = ${effective}, always = ${always}, reason = ${reason}, decided_at = ${now},
          decided_by = ${column(decision.by)}, claim = ${token},
          expires_at = case when expires_at < ${now + claimMs} then ${now + claimMs} else expires_at end,
          ended_at = ${decision.approve ? null : now}
        where id = ${id} ${own} and ((state = 'pending' and expires_at > ${now}) or claim = ${token})
        returning id`;
      if (rows.length > 0) await this.#tell(tx, id);
      return rows.length > 0;
    });
    if (changed) this.#onChange(id);
    else await this.expire(id);
    const approval = await this.get(owner, id);
    return approval && { approval, isFirst: changed };
  }

  /** Ends a pending one whose time is over. @param isOver the time is over by a better clock than that of the wall */
  async expire(id: string, isOver = false): Promise<void> {
    const now = this.#db.now();
    const until = isOver ? Number.MAX_SAFE_INTEGER : now;
    await this.#end(id, { state: "expired", reason: "nobody decided in time", until });
  }

  /** Ends one that nobody has begun to run. */
  async cancel(id: string, reason: string): Promise<void> {
    await this.#end(id, { state: "cancelled", reason, until: Number.MAX_SAFE_INTEGER });
  }

  /**
   * Takes an approved one to run it. True for exactly one of all that try: it must run it now, and `Journal` knows it as
   * `prepared`.
   */
  async claim(id: string): Promise<boolean> {
    const now = this.#db.now();
    // Where many try, it is mostly another's by now, and then nothing is locked.
    const [free] = await this.#db.read<Row[]>(
      (sql) =>
        sql`select id from mcphost_approvals where id = ${id} and state = 'approved' and expires_at > ${now}`,
    );
    if (free === undefined) return false;
    const holder = await this.#holding.id();
    const token = crypto.randomUUID();
    return await this.#db.write(async (tx) => {
      const [row]: Row[] = await tx`update mcphost_approvals
        set state = 'running', holder = ${holder}, claim = ${token}
        where id = ${id} and ((state = 'approved' and expires_at > ${now}) or claim = ${token})
        returning owner, server, tool`;
      if (row === undefined) return false;
      await tx`insert into mcphost_journal (id, owner, server, tool, state, holder, at)
        values (${id}, ${row["owner"]}, ${row["server"]}, ${row["tool"]}, 'prepared', ${holder}, ${now})
        on conflict (id) do nothing`;
      return true;
    });
  }

  /**
   * Writes down what came of one that this process runs, and that nothing of it is open any more.
   * @param end.result in a few words
   */
  async settle(id: string, end: Settled): Promise<void> {
    const now = this.#db.now();
    const holder = await this.#holding.id();
    await this.#db.write(async (tx) => {
      // Another may have taken us for gone: we know better.
      await tx`update mcphost_approvals set state = ${end.state}, result = ${nullable(end.result)},
        reason = ${nullable(end.reason)}, ended_at = ${now}
        where id = ${id} and holder = ${holder} and state in ('running', 'uncertain')`;
      if (end.state === "uncertain")
        await tx`update mcphost_journal set state = 'uncertain' where id = ${id}`;
      else await tx`delete from mcphost_journal where id = ${id}`;
    });
  }

  async #end(
    id: string,
    { state, reason, until }: { state: ApprovalState; reason: string; until: number },
  ): Promise<void> {
    const now = this.#db.now();
    const from = state === "expired" ? ["pending"] : ["pending", "approved"];
    const changed = await this.#db.write(async (tx) => {
      const rows: Row[] = await tx`update mcphost_approvals
        set state = ${state}, reason = ${column(reason)}, ended_at = ${now}
        where id = ${id} and state in ${tx(from)} and expires_at <= ${until} returning id`;
      if (rows.length > 0) await this.#tell(tx, id);
      return rows.length > 0;
    });
    if (changed) this.#onChange(id);
  }

  /** Wakes who waits in other processes, where the database can. */
  async #tell(tx: Pick<Db["engine"]["sql"], "notify">, id: string): Promise<void> {
    if (this.#db.engine.kind === "postgres") await tx.notify(decidedChannel, id);
  }
}

/** Where Postgres tells of decisions, by the id of the call. */
export const decidedChannel = "mcphost_decided";

// --- internal ---

/** What was approved at the last moment can still be begun. */
const claimMs = 60_000;
