import { type ApiError, refuseAll } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { TableOf } from '../sql/table.ts'
import type {
  Caller,
  ExpectedCount,
  InsertOptions,
  ItemCount,
  StoredPage,
  StoreReader,
  StoreTransaction,
  WriteOutcome,
} from '../store.ts'
import { nothingToReplace, transactionEnded } from '../store-errors.ts'
import type { EveryMember } from '../wrap-store.ts'
import type { Engine } from './engine.ts'
import type { ItemQueries } from './item-queries.ts'
import type { ItemTable } from './item-table.ts'
import { type ItemWrites, itemWrites } from './item-writes.ts'
import type { SqlSession, StatementResult } from './sql-database.ts'
import { tablesReader } from './tables-reader.ts'
import { outcomeOfViolation } from './violations.ts'

/** Another transaction changed an item between its read and its write; the work runs again. */
export class ConcurrentChange extends Error {
  override readonly name = 'ConcurrentChange'
}

/**
 * Something was not as an optimistic transaction assumed: the database refused a write, or a count
 * was not as expected. The transaction cannot go on.
 */
export class OptimismFailed extends Error {
  override readonly name = 'OptimismFailed'
}

interface Removal {
  readonly model: ModelDescription
  readonly id: string
  readonly statements: readonly Statement[]
}

/** Operations that write declare both. */
const ownErrors = ['still-referenced', 'invalid-member'] as const

const { problem, createApiError } = refusalsOf(ownErrors)

export interface TransactionContext {
  readonly engine: Engine
  readonly queries: ItemQueries
  readonly tableOf: TableOf<ItemTable>
}

/**
 * Writes in one transaction of the database. An item that `find` reads stays as it is until the end
 * of the transaction. The items of lists are not locked: they are read again before they are
 * written.
 */
export class TablesTransaction implements EveryMember<StoreTransaction> {
  readonly #engine: Engine
  readonly #queries: ItemQueries
  readonly #tableOf: TableOf<ItemTable>
  readonly #session: SqlSession
  readonly #reader: StoreReader
  /** The content of items of lists, as it was read. */
  readonly #listed = new Map<string, string>()
  /** The items that others referred to when they were removed. */
  readonly #removals: Removal[] = []
  readonly #isOptimistic: boolean
  /** Have tables of other programs changed? */
  #hasForeignChanges = false
  #hasRemovals = false
  #hasEnded = false
  #failure: OptimismFailed | undefined
  #expectedCounts: readonly ExpectedCount[] = []

  /**
   * @param isOptimistic whether it assumes that no write is refused and that all counts are as
   * expected. Otherwise writes have savepoints, and counts are waited for, which takes longer.
   */
  constructor(
    { engine, queries, tableOf }: TransactionContext,
    session: SqlSession,
    isOptimistic: boolean,
  ) {
    this.#isOptimistic = isOptimistic
    this.#engine = engine
    this.#queries = queries
    this.#tableOf = tableOf
    this.#session = session
    this.#reader = tablesReader({ queries, tableOf, run: (statements) => this.#run(statements) })
  }

  /**
   * Makes the transaction unusable.
   * @returns what was not as assumed, after which every other error is of no importance
   */
  end(): OptimismFailed | undefined {
    this.#hasEnded = true
    // A work that threw before a count was read may have thrown because it differs.
    return this.#expectedCounts.length > 0 ? this.#fail(undefined) : this.#failure
  }

  async find(model: ModelDescription, condition: Condition): Promise<StoredItem | undefined> {
    const statements = [...this.#lock(model, condition), this.#queries.find(model, condition)]
    const row = (await this.#run(statements)).at(-1)!.rows[0]
    const item = row && this.#tableOf(model).itemOf(row)
    if (item) this.#listed.delete(keyOf(model, item.id))
    return item
  }

  async *list(
    model: ModelDescription,
    plan: QueryPlan,
    caller?: Caller,
  ): AsyncGenerator<readonly StoredItem[]> {
    for await (const batch of this.#reader.list(model, plan, caller)) {
      this.#remember(model, batch)
      yield batch
    }
  }

  async page(model: ModelDescription, plan: QueryPlan, caller?: Caller): Promise<StoredPage> {
    const page = await this.#reader.page(model, plan, caller)
    for await (const batch of page.items(page.entries)) this.#remember(model, batch)
    return page
  }

  count(model: ModelDescription, condition: Condition, caller?: Caller): Promise<number> {
    return this.#reader.count(model, condition, caller)
  }

  async countEach(counts: readonly ItemCount[]): Promise<readonly number[]> {
    const results = await this.#run(
      counts.map(({ model, condition }) => this.#queries.count(model, condition)),
    )
    return results.map(({ rows }) => Number(rows[0]![0]))
  }

  expectCounts(counts: readonly ExpectedCount[]): boolean {
    if (this.#isOptimistic) this.#expectedCounts = [...this.#expectedCounts, ...counts]
    return this.#isOptimistic
  }

  async *relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
    caller?: Caller,
  ): ReturnType<StoreReader['relatedPages']> & AsyncGenerator {
    for await (const batch of this.#reader.relatedPages(model, relation, owners, plan, caller)) {
      this.#remember(
        relation.relatedModel,
        batch.map(({ item }) => item),
      )
      yield batch
    }
  }

  async insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    const table = this.#tableOf(model)
    const writes = itemWrites(table, this.#engine)
    if (options?.isIdReplaceable && isIdOfDatabase(table, item.id))
      return this.#insertWithNewId(table, writes, item)
    if (table.newIds === 'databaseOnly' || table.idCodec.canonical(item.id) === undefined)
      return { kind: 'refused', field: undefined }
    const statements = [writes.insert(item), ...writes.insertTargets(item)]
    const outcome = await this.#write(table, statements, item)
    if (outcome.kind === 'unseen') return { kind: 'refused', field: undefined }
    // Where both the id and a unique value are taken, a database may report either; the id comes
    // first.
    if (outcome.kind === 'taken' && (await this.find(model, idEquals(item.id))))
      return { kind: 'exists' }
    return outcome
  }

  async #insertWithNewId(
    table: ItemTable,
    writes: ItemWrites,
    item: StoredItem,
  ): Promise<WriteOutcome> {
    const inserted = await this.#attempt(table, writes.insertWithNewId(item))
    if (inserted.kind !== 'done') return inserted
    const [row] = inserted.results.at(-1)!.rows
    if (!row) return { kind: 'refused', field: undefined }
    const added = { ...item, id: String(table.idCodec.decode(row[0])) }
    const statements = [
      ...writes.insertTargets(added),
      this.#queries.find(table.model, idEquals(added.id)),
    ]
    const completed = await this.#attempt(table, statements)
    if (completed.kind !== 'done') return completed
    const outcome = storedOutcome(table, completed.results)
    return outcome.kind === 'unseen' ? { kind: 'refused', field: undefined } : outcome
  }

  async replace(model: ModelDescription, item: StoredItem): Promise<WriteOutcome> {
    const table = this.#tableOf(model)
    await this.#checkUnchanged(table, item.id)
    const outcome = await this.#write(table, itemWrites(table, this.#engine).replace(item), item)
    if (outcome.kind === 'unseen') throw nothingToReplace(model, item.id)
    return outcome
  }

  async remove(model: ModelDescription, id: string): Promise<void> {
    const table = this.#tableOf(model)
    const statements = itemWrites(table, this.#engine).remove(id)
    this.#hasRemovals = true
    this.#hasForeignChanges ||= !table.isManaged
    if (table.isManaged && this.#isOptimistic) await this.#runOptimistic(statements)
    else await this.#removeReferenced({ model, id, statements })
    this.#listed.delete(keyOf(model, id))
  }

  /**
   * The items that refer to a removed item change after it. Foreign keys of other programs may be
   * checked at once, so such an item is removed before the commit. Their tables may refer to those
   * of the store too.
   */
  async #removeReferenced(removal: Removal): Promise<void> {
    await this.#runExpecting([])
    if (!(await this.#tryRemoval(removal))) this.#removals.push(removal)
  }

  /**
   * Does what is left before the commit.
   *
   * @throws ApiError `still-referenced` for an item that a row of any table refers to;
   * `invalid-member` if the changes violate a rule of the tables of other programs
   */
  async finish(): Promise<void> {
    await this.#runExpecting([])
    await this.#finishRemovals()
    await this.#checkDeferred()
  }

  async #finishRemovals(): Promise<void> {
    for (let pending = this.#removals; pending.length > 0; ) {
      const failed: Removal[] = []
      // Items of a chain are mostly removed after those that they refer to.
      for (const removal of pending.toReversed())
        if (!(await this.#tryRemoval(removal))) failed.push(removal)
      failed.reverse()
      if (failed.length === pending.length)
        refuseAll(
          failed.map(({ model }) =>
            problem(
              'still-referenced',
              `The ${model.name} is still referenced by another table of the database. Remove these references first.`,
            ),
          ),
        )
      pending = failed
    }
  }

  /** False if a foreign key or another rule of the database forbids it. */
  async #tryRemoval({ statements }: Removal): Promise<boolean> {
    try {
      await this.#usableSession().attempt(statements)
      return true
    } catch (error) {
      if (!this.#engine.violationOf(error)) throw error
      return false
    }
  }

  /** Checks now what the database would check at the commit, which could only fail as a whole. */
  async #checkDeferred(): Promise<void> {
    const { checkDeferred, violationOf } = this.#engine
    if (!this.#hasForeignChanges || checkDeferred === '') return
    try {
      await this.#usableSession().attempt([{ sql: checkDeferred, parameters: [] }])
    } catch (error) {
      throw violationOf(error) ? this.refusal() : error
    }
  }

  /** What the changes as a whole are refused with, where the database forbids them. */
  refusal(): ApiError {
    return this.#hasRemovals
      ? createApiError(
          'still-referenced',
          'Another table of the database still refers to what the request changes.',
        )
      : createApiError('invalid-member', 'The change violates a rule of the database.')
  }

  /** Also reads what is stored then, because the database may change what is written. */
  async #write(
    table: ItemTable,
    statements: readonly Statement[],
    { id }: StoredItem,
  ): Promise<WriteOutcome | Unseen> {
    const find = this.#queries.find(table.model, idEquals(id))
    const attempt = await this.#attempt(table, [...statements, find])
    this.#listed.delete(keyOf(table.model, id))
    return attempt.kind === 'done' ? storedOutcome(table, attempt.results) : attempt
  }

  async #attempt(
    table: ItemTable,
    statements: readonly Statement[],
  ): Promise<
    | Exclude<WriteOutcome, { kind: 'written' }>
    | { readonly kind: 'done'; readonly results: readonly StatementResult[] }
  > {
    this.#hasForeignChanges ||= !table.isManaged
    try {
      const results = await (this.#isOptimistic
        ? this.#runExpecting(statements)
        : this.#usableSession().attempt(statements))
      return { kind: 'done', results }
    } catch (error) {
      const violation = this.#engine.violationOf(error)
      if (!violation) throw error
      if (this.#isOptimistic) throw this.#fail(error)
      return outcomeOfViolation(table, violation)
    }
  }

  /** Runs the statements together with the counts that are expected by now. */
  async #runExpecting(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    const counts = this.#expectedCounts
    if (counts.length + statements.length === 0) return []
    this.#expectedCounts = []
    const countStatements = counts.map(({ model, condition }) =>
      this.#queries.count(model, condition),
    )
    const results = await this.#run([...countStatements, ...statements])
    if (counts.some(({ expected }, index) => Number(results[index]!.rows[0]![0]) !== expected))
      throw this.#fail(undefined)
    return results.slice(counts.length)
  }

  /** Runs them without a savepoint. If the database refuses one, the transaction runs again. */
  async #runOptimistic(statements: readonly Statement[]): Promise<void> {
    try {
      await this.#runExpecting(statements)
    } catch (error) {
      throw this.#engine.violationOf(error) ? this.#fail(error) : error
    }
  }

  #fail(cause: unknown): OptimismFailed {
    this.#failure ??= new OptimismFailed('The transaction runs again.', { cause })
    return this.#failure
  }

  /** @throws ConcurrentChange if the item is not what a list of this transaction returned */
  async #checkUnchanged({ model, itemOf }: ItemTable, id: string): Promise<void> {
    const before = this.#listed.get(keyOf(model, id))
    const condition = idEquals(id)
    const lock = this.#lock(model, condition)
    if (before === undefined || lock.length === 0) return
    const results = await this.#run([...lock, this.#queries.find(model, condition)])
    const row = results.at(-1)!.rows[0]
    if (row && contentOf(itemOf(row)) !== before)
      throw new ConcurrentChange(`The ${model.name} '${id}' was changed by another transaction.`)
  }

  /**
   * A statement of its own: the next one sees what the transactions committed that this one waited
   * for, also in join tables.
   */
  #lock(model: ModelDescription, condition: Condition): readonly Statement[] {
    if (this.#engine.lockRows === '' || !this.#tableOf(model).isLockable) return []
    return [this.#queries.lock(model, idConditionIn(condition) ?? condition)]
  }

  #remember(model: ModelDescription, items: readonly StoredItem[]): void {
    if (this.#engine.lockRows === '') return
    for (const item of items) this.#listed.set(keyOf(model, item.id), contentOf(item))
  }

  async #run(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    return this.#usableSession().run(statements)
  }

  #usableSession(): SqlSession {
    if (this.#hasEnded) throw transactionEnded()
    return this.#session
  }
}

/** A database makes numbers; a UUID of the service is as good as one of the database. */
function isIdOfDatabase({ newIds, idCodec }: ItemTable, id: string): boolean {
  return newIds === 'databaseOnly' || (newIds === 'database' && idCodec.canonical(id) === undefined)
}

/** There is no row to read: a trigger left it out, or a rule of the database hides it. */
interface Unseen {
  readonly kind: 'unseen'
}

function storedOutcome(
  table: ItemTable,
  results: readonly StatementResult[],
): Extract<WriteOutcome, { kind: 'written' }> | Unseen {
  const row = results.at(-1)!.rows[0]
  return row ? { kind: 'written', item: table.itemOf(row) } : { kind: 'unseen' }
}

function keyOf({ name }: ModelDescription, id: string): string {
  return `${name} ${id}`
}

function contentOf({ text, hiddenText }: StoredItem): string {
  return `${text}${hiddenText ?? ''}`
}

/** The part of a condition that names the id of one item. */
function idConditionIn(condition: Condition): Condition | undefined {
  if (condition.kind === 'and')
    return condition.conditions.map(idConditionIn).find((part) => part !== undefined)
  if (condition.kind !== 'compare' || condition.operator !== 'equal') return undefined
  const { names } = condition.path
  return names.length === 1 && names[0] === 'id' ? condition : undefined
}
