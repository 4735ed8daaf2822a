import { setTimeout as wait } from 'node:timers/promises'
import type { ChangeSignal } from '../change-signal.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { CallerWrites, StoreCall } from '../store-call.ts'
import type { StoreDescription } from '../store-description.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { Engine } from '../tables/engine.ts'
import type { SqlDatabase, SqlSession, StatementResult } from '../tables/sql-database.ts'
import type { PostgresDatabase } from './database.ts'
import { PostgresError } from './postgres-error.ts'
import { PrimaryTimeline } from './primary-timeline.ts'
import { parsePosition, primaryPosition, reachedQuery } from './write-position.ts'

/** How often a replica is asked whether it has caught up. */
const pollMs = 10
/** How often a replica that is away is tried again. */
const retryMs = 1_000

/** A server that may be read from. */
export interface Replica {
  readonly database: PostgresDatabase
  /** Is it the primary at the moment? Then requests do not read from it as a replica. */
  isPrimary(): boolean
}

interface ReplicaState extends Replica {
  isAway: boolean
}

/**
 * A primary and its replicas. Transactions run on the primary, and so do reads that no request
 * makes: what deletes unreferenced blobs must see all items. A request reads from one replica, so
 * that it does not see an older state after a newer one, and from the primary after its own write.
 */
export class ReplicatedDatabase implements SqlDatabase {
  readonly #primary: PostgresDatabase
  readonly #replicas: readonly ReplicaState[]
  readonly #waitMs: number
  readonly #timeline: PrimaryTimeline
  readonly #serverOf = new WeakMap<CallerWrites, ReplicaState | 'primary'>()
  readonly #closing = new AbortController()
  #nextIndex = 0

  /** @param waitMs how long a read waits for a replica to get what its client has written */
  constructor(primary: PostgresDatabase, replicas: readonly Replica[], waitMs: number) {
    this.#primary = primary
    this.#replicas = replicas.map((replica) => ({ ...replica, isAway: false }))
    this.#waitMs = waitMs
    this.#timeline = new PrimaryTimeline(() => this.#position())
  }

  async read(
    statements: readonly Statement[],
    call?: StoreCall,
  ): Promise<readonly StatementResult[]> {
    const writes = call?.writes
    if (writes && !writes.hasCommitted) {
      const results = await this.#readFromReplicas(statements, call, writes)
      if (results) return results
      this.#serverOf.set(writes, 'primary')
    }
    return this.#primary.read(statements, call)
  }

  longTransaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#primary.longTransaction(work)
  }

  inspect<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#primary.inspect(work)
  }

  adaptEngine(engine: Engine, changesTables: boolean): Promise<Engine> {
    return this.#primary.adaptEngine(engine, changesTables)
  }

  allowIdle(timeoutMs: number): void {
    this.#primary.allowIdle(timeoutMs)
  }

  logsByItself(): void {
    this.#primary.logsByItself()
  }

  changeSignal(latest: Statement): ChangeSignal {
    return this.#primary.changeSignal(latest)
  }

  describe(): StoreDescription | undefined {
    return this.#primary.describe()
  }

  async transaction<T>(work: (session: SqlSession) => Promise<T>, call?: StoreCall): Promise<T> {
    const result = await this.#primary.transaction(work, call)
    if (call?.writes) call.writes.committed(await this.#timeline.position())
    return result
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#replicas.map(({ database }) => database.close()))
    await this.#primary.close()
  }

  /** A position that is not before the last commit; undefined if it cannot be read. */
  async #position(): Promise<string | undefined> {
    // The write has succeeded, whatever happens now.
    const results = await this.#primary.read([primaryPosition]).catch(() => undefined)
    return (results?.[0]?.rows[0]?.[0] as string | null | undefined) ?? undefined
  }

  /** Undefined if no replica can be read from, or none has what the client has written. */
  async #readFromReplicas(
    statements: readonly Statement[],
    call: StoreCall,
    writes: CallerWrites,
  ): Promise<readonly StatementResult[] | undefined> {
    const deadline = performance.now() + this.#waitMs
    for (const replica of this.#candidates(writes)) {
      try {
        const results = await this.#readFrom(replica.database, statements, call, deadline)
        if (!results) continue
        this.#serverOf.set(writes, replica)
        return results
      } catch (error) {
        if (error instanceof StoreUnavailable) this.#leave(replica)
        // A replica may abort statements because of its replay, or lack a new column. If the
        // statement is at fault, the primary refuses it too.
        else if (!(error instanceof PostgresError)) throw error
      }
    }
    return undefined
  }

  #candidates(writes: CallerWrites): readonly ReplicaState[] {
    const chosen = this.#serverOf.get(writes)
    if (chosen === 'primary') return []
    if (chosen) return chosen.isAway ? [] : [chosen]
    const start = this.#nextIndex++
    return this.#replicas
      .map((_, index) => this.#replicas[(start + index) % this.#replicas.length]!)
      .filter((replica) => !replica.isAway && !replica.isPrimary())
  }

  /** Reads from it again once it responds. */
  #leave(replica: ReplicaState): void {
    if (replica.isAway) return
    replica.isAway = true
    void this.#awaitReturn(replica)
  }

  async #awaitReturn(replica: ReplicaState): Promise<void> {
    const { signal } = this.#closing
    const statement = { sql: 'select 1', parameters: [] }
    while (!signal.aborted) {
      await wait(retryMs, undefined, { ref: false, signal }).catch(() => {})
      if (signal.aborted) return
      try {
        await replica.database.read([statement])
        replica.isAway = false
        return
      } catch {
        // It is still away.
      }
    }
  }

  /** Undefined if the replica has not got what the client has written when the time is over. */
  async #readFrom(
    replica: PostgresDatabase,
    statements: readonly Statement[],
    call: StoreCall,
    deadline: number,
  ): Promise<readonly StatementResult[] | undefined> {
    const text = call.writes?.knownPosition
    if (text === undefined) return replica.read(statements, call)
    const position = parsePosition(text)
    const check = reachedQuery(position)
    const [checked, ...results] = await replica.read([check, ...statements], call)
    if (isReached(checked)) return results
    this.#timeline.refresh()
    while (performance.now() < deadline && !this.#timeline.isAfter(position)) {
      await wait(pollMs)
      const [again] = await replica.read([check], call)
      if (isReached(again)) return replica.read(statements, call)
    }
    return undefined
  }
}

function isReached(result: StatementResult | undefined): boolean {
  return result?.rows[0]?.[0] === 't'
}
