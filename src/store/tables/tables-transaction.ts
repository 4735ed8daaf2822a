import { randomUUID } from 'node:crypto'
import type { ApiError } from '../../error/api-error.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ChangeLogWriter } from '../change-log.ts'
import { itemReader } from '../reader/item-reader.ts'
import type { RequestRecordWriter } from '../request-records.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { TableOf } from '../sql/table.ts'
import type { StoreCall } from '../store-call.ts'
import { nothingToReplace } from '../store-errors.ts'
import type { StoredPage, StoreReader } from '../store-reader.ts'
import type {
  InsertOptions,
  ItemCount,
  ItemIds,
  LogOnly,
  StoreTransaction,
  TransactionFastPaths,
  TransactionLocks,
  WriteOptions,
  WriteOutcome,
} from '../store-transaction.ts'
import type { EveryMember } from '../wrap-store.ts'
import { changeLogWriter, changeStatements } from './change-log-table.ts'
import { changesRefused } from './change-refusals.ts'
import type { Engine } from './engine.ts'
import { ItemLocks } from './item-locks.ts'
import type { ItemQueries } from './item-queries.ts'
import type { ItemTable } from './item-table.ts'
import { type ItemWrites, itemWrites } from './item-writes.ts'
import type { ItemWrite, LoggedWrites } from './logged-writes.ts'
import { changedKeyMembers, newItemId } from './new-item-id.ts'
import { ReadItems } from './read-items.ts'
import { Removals } from './removals.ts'
import { requestRecordWriter, requestStatements } from './request-record-table.ts'
import { RowLocks } from './row-locks.ts'
import type { SqlSession } from './sql-database.ts'
import { TablesRunner } from './tables-runner.ts'
import type { TransactionContext } from './transaction-context.ts'
import { WriteAttempts } from './write-attempts.ts'
import { type OptimismFailed, WriteSession } from './write-session.ts'

/** Another transaction changed an item between its read and its write; the work runs again. */
export class ConcurrentChange extends Error {
  override readonly name = 'ConcurrentChange'
}

/**
 * Writes in one transaction of the database. An item that `find` reads stays as it is until the end
 * of the transaction. The items of lists are not locked: they are read again before they are
 * written.
 */
export class TablesTransaction
  implements EveryMember<StoreTransaction>, TransactionFastPaths, TransactionLocks
{
  readonly #engine: Engine
  readonly #queries: ItemQueries
  readonly #tableOf: TableOf<ItemTable>
  readonly #session: WriteSession
  readonly #attempts: WriteAttempts
  readonly #reader: StoreReader
  readonly #readItems = new ReadItems()
  readonly #locks: ItemLocks
  readonly #rowLocks: RowLocks
  readonly #removals: Removals
  readonly #loggedWrites: LoggedWrites
  readonly requestRecords: RequestRecordWriter
  #hasAddedChanges = false
  readonly #lastStatements: Statement[] = []
  /**
   * @param isOptimistic as in `WriteSession`
   * @param locksTables as in `ItemLocks`
   */
  constructor(
    context: TransactionContext,
    session: SqlSession,
    isOptimistic: boolean,
    locksTables: boolean,
  ) {
    const { engine, queries, tableOf, loggedWrites } = context
    this.#engine = engine
    this.#queries = queries
    this.#tableOf = tableOf
    this.#loggedWrites = loggedWrites
    this.#session = new WriteSession(engine, queries, session, isOptimistic)
    this.#attempts = new WriteAttempts(engine, this.#session)
    this.#rowLocks = new RowLocks(context, this.#session)
    this.#removals = new Removals(this.#session)
    this.#locks = new ItemLocks(engine, tableOf, locksTables)
    const run = (statements: readonly Statement[]) => this.#session.run(statements)
    this.requestRecords = requestRecordWriter(requestStatements(engine), run)
    this.#reader = itemReader({ queries, runner: new TablesRunner(engine, run) })
  }

  get changes(): ChangeLogWriter {
    const run = (statements: readonly Statement[]) => {
      this.#hasAddedChanges = true
      return this.#session.run(statements)
    }
    const runWithCommit = (statement: Statement) => {
      this.#hasAddedChanges = true
      this.#lastStatements.push(statement)
    }
    return changeLogWriter(changeStatements(this.#engine), run, runWithCommit)
  }

  get hasAddedChanges(): boolean {
    return this.#hasAddedChanges
  }

  /** They run with the commit: each round trip makes others wait for the locks. */
  get lastStatements(): readonly Statement[] {
    return this.#lastStatements
  }

  /** As `end` of the session. */
  end(): OptimismFailed | undefined {
    return this.#session.end()
  }

  async find(model: ModelDescription, condition: Condition): Promise<StoredItem | undefined> {
    const lock = this.#rowLocks.lockOnce(model, condition)
    const statements = [...lock, this.#queries.find(model, condition)]
    let results = await this.#session.run(statements)
    // Another transaction changed the item in between: it satisfies the condition only now.
    const isUnlocked = lock.length > 0 && results[0]!.rows.length === 0
    if (isUnlocked && results.at(-1)!.rows.length > 0) results = await this.#session.run(statements)
    const row = results.at(-1)!.rows[0]
    const item = row && this.#tableOf(model).itemOf(row)
    if (!item) return undefined
    // Whoever has listed it would write the other change away.
    if (lock.length > 0 && this.#readItems.isListed(model, item.id))
      this.#refuseChanged(model, item)
    this.#readItems.addLocked(model, item)
    return item
  }

  async *list(
    model: ModelDescription,
    plan: QueryPlan,
    call?: StoreCall,
  ): AsyncGenerator<readonly StoredItem[]> {
    for await (const batch of this.#reader.list(model, plan, call)) {
      this.#remember(model, batch)
      yield batch
    }
  }

  async page(model: ModelDescription, plan: QueryPlan, call?: StoreCall): Promise<StoredPage> {
    const page = await this.#reader.page(model, plan, call)
    for await (const batch of page.items(page.entries)) this.#remember(model, batch)
    return page
  }

  count(model: ModelDescription, condition: Condition, call?: StoreCall): Promise<number> {
    return this.#reader.count(model, condition, call)
  }

  groups(
    model: ModelDescription,
    plan: GroupPlan,
    call?: StoreCall,
  ): Promise<readonly ItemGroup[]> {
    return this.#reader.groups(model, plan, call)
  }

  get fastPaths(): TransactionFastPaths {
    return this
  }

  async countEach(counts: readonly ItemCount[]): Promise<readonly number[]> {
    const results = await this.#session.run(
      counts.map(({ model, condition }) => this.#queries.count(model, condition).count()),
    )
    return results.map(({ rows }) => Number(rows[0]![0]))
  }

  /** Where a database is far away, counts are sent with the write that relies on them. */
  get checksWrites(): boolean {
    return this.#engine.isRemote
  }

  get locks(): TransactionLocks {
    return this
  }

  async lockItems(model: ModelDescription, condition: Condition): Promise<void> {
    const locks = this.#locks.beforeRead(model, condition)
    if (locks.length > 0) await this.#session.run(locks)
  }

  lockForWrite(
    itemsOf: () => readonly ItemIds[] | Promise<readonly ItemIds[]>,
    isUnderWay = false,
  ): Promise<void> {
    return this.#rowLocks.lockAll(itemsOf, isUnderWay)
  }

  async *relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
    call?: StoreCall,
  ): ReturnType<StoreReader['relatedPages']> & AsyncGenerator {
    for await (const batch of this.#reader.relatedPages(model, relation, owners, plan, call)) {
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
    const newId = newItemId(table, item, options?.id === 'proposed')
    if (newId.kind === 'refused') return this.#refused(newId, options)
    const locks = this.#locks.beforeWrite(model, [item])
    if (newId.kind === 'database') {
      if (locks.length > 0) await this.#session.run(locks)
      return this.#insertWithNewId(table, writes, item, options)
    }
    const added = { ...item, id: newId.id }
    const version = randomUUID()
    const statements = [...locks, writes.insert(added, version), ...writes.insertTargets(added)]
    const outcome = await this.#write(table, { statements, item: added, version }, options)
    if (outcome.kind === 'unseen') return { kind: 'refused', fields: [] }
    // Where both the id and a unique value are taken, a database may report either; the id comes
    // first.
    if (outcome.kind === 'taken' && (await this.find(model, idEquals(added.id))))
      return { kind: 'exists' }
    return outcome
  }

  async #insertWithNewId(
    table: ItemTable,
    writes: ItemWrites,
    item: StoredItem,
    options: WriteOptions | undefined,
  ): Promise<WriteOutcome> {
    const version = randomUUID()
    const inserted = await this.#attempts.attempt(
      table,
      writes.insertWithNewId(item, version),
      options?.expects,
    )
    if (inserted.kind !== 'done') return inserted
    const [row] = inserted.results.at(-1)!.rows
    if (!row) return { kind: 'refused', fields: [] }
    const added = { ...item, id: String(table.idCodec.decode(row[0])) }
    const rest = options && { rest: options.rest }
    const statements = writes.insertTargets(added)
    const outcome = await this.#write(table, { statements, item: added, version }, rest)
    return outcome.kind === 'unseen' ? { kind: 'refused', fields: [] } : outcome
  }

  async replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    const table = this.#tableOf(model)
    const fields = changedKeyMembers(table, item)
    if (fields.length > 0) return this.#refused({ kind: 'refused', fields }, options)
    const wasRead = this.#readItems.has(model, item.id)
    await this.#checkUnchanged(table, item.id)
    const before = this.#readItems.lockedItem(model, item.id)
    const version = randomUUID()
    const statements = [
      ...this.#locks.beforeWrite(model, [before, item]),
      ...itemWrites(table, this.#engine).replace(item, before, version),
    ]
    const outcome = await this.#write(table, { statements, item, version }, options)
    if (outcome.kind !== 'unseen') return outcome
    if (!wasRead) throw nothingToReplace(model, item.id)
    return { kind: 'refused', fields: [] }
  }

  async remove(model: ModelDescription, id: string): Promise<void> {
    const table = this.#tableOf(model)
    const before = this.#readItems.lockedItem(model, id)
    const statements = [
      ...this.#locks.beforeWrite(model, [before]),
      ...itemWrites(table, this.#engine).remove(id),
    ]
    this.#attempts.noteChange(table)
    await this.#removals.add({ model, statements, isCheckedAtCommit: table.isManaged })
    this.#readItems.delete(model, id)
  }

  /**
   * Does what is left before the commit.
   *
   * @throws ApiError `still-referenced` for an item that a row of any table refers to;
   * `invalid-member` if the changes violate a rule of the tables of other programs
   */
  async finish(): Promise<void> {
    if (this.#session.hasRunLast) return
    await this.#removals.finish()
    if (!(await this.#attempts.deferredHolds())) throw this.refusal()
  }

  /** What the changes as a whole are refused with, where the database forbids them. */
  refusal(): ApiError {
    return changesRefused(this.#removals.hasRemovals)
  }

  /** Also reads what is stored then, because the database may change what is written. */
  async #write(
    table: ItemTable,
    write: ItemWrite,
    options: WriteOptions | undefined,
  ): Promise<WriteOutcome | Unseen> {
    const { rest = 'more', expects } = options ?? {}
    const isLast = rest !== 'more' && !this.#removals.arePending && this.#session.isOptimistic
    if (isLast && rest !== 'nothing') {
      const stored = this.#loggedWrites.storedItem(table, write)
      if (stored) return this.#writeLogged(table, write, stored, rest, expects)
    }
    const { statements, item: given } = write
    const find = () => this.#queries.find(table.model, idEquals(given.id))
    const attempt = await (isLast && rest === 'nothing'
      ? this.#attempts.attemptLast(
          table,
          statements,
          this.#queries.findOrFail(table.model, idEquals(given.id)),
          expects,
        )
      : this.#attempts.attempt(table, [...statements, find()], expects))
    if (attempt.kind !== 'done') return attempt
    const row = attempt.results.at(-1)!.rows[0]
    if (!row) return { kind: 'unseen' }
    const item = table.itemOf(row)
    if (rest !== 'more' && rest !== 'nothing') this.#loggedWrites.compare(table, write, item)
    this.#readItems.addLocked(table.model, item)
    return { kind: 'written', item }
  }

  /** Adds the change to the log in the round trip of the write, which reads nothing. */
  async #writeLogged(
    table: ItemTable,
    { statements, version }: ItemWrite,
    stored: StoredItem,
    { changeOf }: LogOnly,
    expects: WriteOptions['expects'],
  ): Promise<WriteOutcome> {
    this.#hasAddedChanges = true
    const log = changeStatements(this.#engine).addNumbered([changeOf(stored)])
    const attempt = await this.#attempts.attemptLast(
      table,
      [...statements, log],
      this.#queries.failUnlessWritten(table.model, stored, version),
      expects,
    )
    return attempt.kind === 'done' ? { kind: 'written', item: stored } : attempt
  }

  /** What the write expects is counted first. */
  async #refused(
    outcome: Extract<WriteOutcome, { kind: 'refused' }>,
    options: WriteOptions | undefined,
  ): Promise<WriteOutcome> {
    return (await this.#session.areMet(options?.expects)) ? outcome : { kind: 'unmet' }
  }

  /** @throws ConcurrentChange if the item is not what a list of this transaction returned */
  async #checkUnchanged({ model, itemOf }: ItemTable, id: string): Promise<void> {
    if (!this.#readItems.isListed(model, id)) return
    const condition = idEquals(id)
    const lock = this.#rowLocks.lock(model, condition)
    if (lock.length === 0) return
    const results = await this.#session.run([...lock, this.#queries.find(model, condition)])
    const row = results.at(-1)!.rows[0]
    const item = row && itemOf(row)
    if (!item) throw changedByAnother(model, id)
    this.#refuseChanged(model, item)
    this.#readItems.addLocked(model, item)
  }

  /** @throws ConcurrentChange if the item is not what a list of this transaction returned */
  #refuseChanged(model: ModelDescription, item: StoredItem): void {
    if (!this.#readItems.isUnchanged(model, item)) throw changedByAnother(model, item.id)
  }

  #remember(model: ModelDescription, items: readonly StoredItem[]): void {
    if (this.#engine.lockRows !== '') this.#readItems.addListed(model, items)
    else for (const item of items) this.#readItems.addLocked(model, item)
  }
}

function changedByAnother({ name }: ModelDescription, id: string): ConcurrentChange {
  return new ConcurrentChange(`The ${name} '${id}' was changed by another transaction.`)
}

/** There is no row to read: a trigger left it out, or a view or a rule of the database hides it. */
interface Unseen {
  readonly kind: 'unseen'
}
