import { setTimeout as wait } from 'node:timers/promises'
import { lazyPromise } from '../../cache/lazy-promise.ts'
import { isCaptured } from '../../model/is-captured.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { itemReader } from '../reader/item-reader.ts'
import { RelatedItemRemoved } from '../related-item-removed.ts'
import type { PlanOptions, Store, StoreOpenOptions } from '../store.ts'
import type { StoreCall } from '../store-call.ts'
import { modelNotOpened } from '../store-errors.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { backfillRows } from './backfill-rows.ts'
import { readBlobKeys } from './blob-keys.ts'
import { capturedItems } from './captured-items.ts'
import { beginChangeLog, changeStatements, tableChangeLog } from './change-log-table.ts'
import type { Engine, EngineAdapter } from './engine.ts'
import { itemQueries } from './item-queries.ts'
import { type ItemTable, itemTable } from './item-table.ts'
import { versionMaker } from './item-version.ts'
import { keptNotes } from './kept-notes.ts'
import { paused, pausedIfNeeded } from './lockable-step.ts'
import { LoggedWrites } from './logged-writes.ts'
import { warnOfMissingWordIndexes } from './missing-word-indexes.ts'
import type { OpenOptions, TablesStoreOptions } from './open-options.ts'
import { type OpeningStage, openTables, planOpening } from './open-tables.ts'
import { LockedInProcess, type ProcessLock, ProcessLocks } from './process-locks.ts'
import { pruneTables } from './prune-tables.ts'
import { rawJsonReader } from './raw-json-reader.ts'
import { type RelationalLayout, relationalLayout } from './relational-layout.ts'
import { requestStatements, tableRequestRecords } from './request-record-table.ts'
import { settingsTable } from './settings-table.ts'
import type { SqlDatabase, SqlSession } from './sql-database.ts'
import { TablesRunner } from './tables-runner.ts'
import { ConcurrentChange, TablesTransaction } from './tables-transaction.ts'
import type { TransactionContext } from './transaction-context.ts'
import { readUndeclaredBlobKeys } from './undeclared-blob-keys.ts'
import { OptimismFailed } from './write-session.ts'

/** How often a transaction runs whose items others change. */
const maxAttempts = 8
/** The second attempt sees that a related item is not there, unless nobody looks. */
const maxForeignKeyAttempts = 3

/**
 * A store that keeps items in ordinary tables.
 * @param anyEngine as the engine is unless its server lacks something
 */
export function tablesStore(
  anyEngine: Engine,
  database: SqlDatabase & EngineAdapter,
  { manages, versionSecret, addsForeignKeys }: TablesStoreOptions,
): Store {
  // Completed before the first statement is compiled.
  const engine = { ...anyEngine }
  const adapted = lazyPromise(async () => {
    const onServer = await database.adaptEngine?.(engine, manages !== false)
    Object.assign(engine, onServer)
  })
  const tables = new Map<string, ItemTable>()
  const tableOf = (model: ModelDescription): ItemTable => {
    const table = tables.get(model.name)
    if (table) return table
    throw modelNotOpened(model)
  }
  const queries = itemQueries(engine, tableOf)
  const runner = new TablesRunner(engine, (statements, call) => database.read(statements, call))
  const changeSignal = database.changeSignal(changeStatements(engine).latest)
  const processLocks = new ProcessLocks()
  const loggedWrites = new LoggedWrites()
  let opening = Promise.resolve()

  let isManaged = manages
  let hasOpened = false
  let secret = versionSecret
  let keepsRequests = false
  let hasRequestTable = false
  let keepsChanges = false
  let hasChangeTable = false

  const optionsOf = (planOptions: PlanOptions = {}): OpenOptions => {
    const layouts = new Map<ModelDescription, RelationalLayout>()
    return {
      manages: isManaged,
      versionSecret: secret,
      addsForeignKeys,
      needsPause: false,
      keepsRequests: planOptions.keepsRequests || keepsRequests,
      keepsChanges: planOptions.keepsChanges || keepsChanges,
      layoutOf(model) {
        const layout = layouts.get(model) ?? relationalLayout(model, engine.maxNameBytes)
        layouts.set(model, layout)
        return layout
      },
    }
  }

  const openModels = async (
    models: readonly ModelDescription[],
    { onProgress }: StoreOpenOptions,
  ): Promise<void> => {
    // Nothing says yet whose tables these will be.
    if (models.length === 0) return
    await adapted()
    // Before a start fills in what a new model needs, which is no change.
    if (keepsChanges && models.some(isCaptured)) database.logsByItself?.()
    const options = optionsOf()
    const layouts = models.map(options.layoutOf)
    const stage = (name: OpeningStage, needsPause = false) =>
      database.longTransaction((session) =>
        openTables(engine, session, layouts, { ...options, needsPause }, name),
      )
    const first = await whenLockTableExists(engine, () =>
      pausedIfNeeded(engine, (needsPause) => stage('first', needsPause)),
    )
    let opened = first
    if (first.pending) {
      await backfillRows(engine, database, first.pending, first.schema, onProgress)
      // Items that processes of the old version write later would have no value.
      opened = await paused(engine, () => stage('last'))
    }
    isManaged = opened.isManaged
    hasOpened = true
    hasRequestTable = isManaged && keepsRequests
    // A store that changes no tables has not opened without them.
    hasChangeTable = keepsChanges
    if (hasChangeTable)
      await database.transaction((session) => beginChangeLog(changeStatements(engine), session))
    secret = opened.secret
    if (isManaged) warnOfMissingWordIndexes(engine, layouts, opened.schema)
    const itemTables = layouts.map((layout) =>
      itemTable(engine, layout, opened, versionMaker(secret!)),
    )
    for (const table of itemTables) tables.set(table.model.name, table)
    if (!isManaged || !database.indexWords) return
    // Of a model that is added, a text may be searched together with those of one of before.
    const indexed = await database.indexWords(
      [...tables.values()],
      ({ layout }) => layout.table.name,
    )
    for (const table of indexed) tables.set(table.model.name, table)
  }

  const writeOnce = async <T>(
    work: (transaction: StoreTransaction) => Promise<T>,
    call: StoreCall | undefined,
    { isOptimistic, isLast, lockInProcess }: AttemptOptions,
  ): Promise<T> => {
    let completed: TablesTransaction | undefined
    let hasRun = false
    const context = { engine, queries, tableOf, loggedWrites, lockInProcess }
    const attempt = database.transaction(async (session) => {
      const transaction = new TablesTransaction(context, session, isOptimistic, hasRun)
      hasRun = true
      completed = undefined
      let result: T
      try {
        result = await work(transaction)
        await transaction.finish()
      } catch (error) {
        throw transaction.end() ?? error
      }
      const failure = transaction.end()
      if (failure) throw failure
      completed = transaction
      if (transaction.lastStatements.length > 0) await session.runLast(transaction.lastStatements)
      return result
    }, call)
    const settled = attempt.catch((error: unknown) => {
      const violation = engine.violationOf(error)
      if (!completed || !violation) throw error
      // Another transaction may have removed a related item, unless there is one writer at a time.
      const mayPass = violation.kind === 'foreignKey' && engine.lockRows !== '' && !isLast
      throw mayPass ? error : completed.refusal()
    })
    const result = await settled
    if (completed?.hasAddedChanges) changeSignal.committed()
    return result
  }

  return {
    facts: {
      // Other programs add tables, with foreign keys to those of the store.
      canRefuseRemovals: true,
      // Tables of other programs may lack foreign keys.
      keepsRelations: manages !== false,
      hasUnknownRules: manages === false,
      hasUnknownOutcomes: engine.isRemote,
      canCaptureChanges: engine.capture !== undefined,
      batchPauseMs: engine.batchPauseMs,
      keepsRange: (model, range) => tableOf(model).keepsRange(range),
    },
    fastPaths: {
      rawJson: rawJsonReader({ queries, tableOf, runner }),
      blobKeys: (model) => readBlobKeys(engine, database, tableOf(model)),
    },
    admin: {
      describe: async () => (hasOpened ? database.describe() : undefined),
      async plan(models, planOptions) {
        await adapted()
        const options = optionsOf(planOptions)
        const layouts = models.map(options.layoutOf)
        return database.inspect((session) => planOpening(engine, session, layouts, options))
      },
      async prune(models, pruneOptions) {
        await adapted()
        const options = optionsOf()
        const layouts = models.map(options.layoutOf)
        const work = (session: SqlSession) =>
          pruneTables(engine, session, layouts, options, pruneOptions)
        return pruneOptions.drops ? database.longTransaction(work) : database.inspect(work)
      },
      undeclaredBlobKeys: (models) => readUndeclaredBlobKeys(engine, database, models.map(tableOf)),
    },
    open(models, options = {}) {
      keepsRequests ||= options.keepsRequests === true
      keepsChanges ||= options.keepsChanges === true
      if (options.hookTimeoutMs !== undefined) database.allowIdle?.(options.hookTimeoutMs)
      opening = opening.catch(() => {}).then(() => openModels(models, options))
      return opening
    },
    // Tables of other programs have no place for them.
    notes: keptNotes(
      engine.dialect,
      engine.quoteTable(settingsTable),
      database,
      (statements) =>
        hasOpened
          ? database.read(statements)
          : database.inspect((session) => session.run(statements)),
      () => isManaged === true,
    ),
    requestRecords:
      manages === false
        ? undefined
        : tableRequestRecords(requestStatements(engine), database, () => hasRequestTable, engine),
    changes: tableChangeLog(
      changeStatements(engine),
      database,
      changeSignal,
      () => hasChangeTable,
      capturedItems(engine, database, (model) => tables.get(model)?.captured),
    ),
    ...itemReader({ queries, runner }),
    async write(work, call) {
      let isOptimistic = engine.isRemote
      let lock: ProcessLock | undefined
      const lockInProcess = (keys: readonly string[]): void => {
        lock ??= processLocks.request(keys, call?.client)
        if (!lock.isHeld) throw new LockedInProcess('Other transactions write the same items.')
      }
      try {
        for (let attempt = 1; ; ) {
          const isLast = attempt >= maxForeignKeyAttempts
          try {
            return await writeOnce(work, call, { isOptimistic, isLast, lockInProcess })
          } catch (error) {
            if (error instanceof OptimismFailed) {
              isOptimistic = false
              continue
            }
            if (error instanceof LockedInProcess) {
              await processLocks.wait(lock!, call)
              continue
            }
            const attempts = maxAttemptsAfter(engine, error)
            if (attempts === 1) throw error
            if (attempt >= attempts) throw stillConcurrent(attempt, error as Error)
          }
          await wait(Math.random() * 10 * attempt)
          call?.signal.throwIfAborted()
          // Only attempts that met changes of others count.
          attempt++
        }
      } finally {
        lock?.release()
      }
    },
    async close() {
      await changeSignal.close()
      await database.close()
    },
  }
}

interface AttemptOptions {
  /** As in `WriteSession`. */
  readonly isOptimistic: boolean
  readonly isLast: boolean
  readonly lockInProcess: TransactionContext['lockInProcess']
}

/** Of two first starts that create the table of locks, one fails once the other has ended. */
async function whenLockTableExists<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isLate = engine.createLockTable.length > 0 && engine.violationOf(error)?.kind === 'unique'
    if (!isLate) throw error
  }
  return work()
}

/**
 * How often a transaction runs that ends with this error: once, unless it conflicted with others. A
 * foreign key that is violated at the end tells that another one removed an item in the meantime.
 */
function maxAttemptsAfter(engine: Engine, error: unknown): number {
  if (error instanceof ConcurrentChange) return maxAttempts
  if (error instanceof RelatedItemRemoved) return maxForeignKeyAttempts
  return engine.violationOf(error)?.kind === 'foreignKey' ? maxForeignKeyAttempts : 1
}

function stillConcurrent(attempts: number, cause: Error): StoreUnavailable {
  return new StoreUnavailable(`${attempts} attempts failed: ${cause.message}.`, { cause })
}
