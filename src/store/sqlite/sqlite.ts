import { checkOptions } from '../../model/check-options.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { mayHaveOldWorkers, pauseOldWorkers } from '../../process/pause-old-workers.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { layoutOf, type TableLayout, tableOf } from '../sql/layout.ts'
import type { DocumentTable } from '../sql/table.ts'
import type { ReadFastPaths, Store, StoreOpenOptions } from '../store.ts'
import type { StoreCall } from '../store-call.ts'
import { modelNotOpened } from '../store-errors.ts'
import type { RawJsonReader, StoreReader } from '../store-reader.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { beginChangeLog, tableChangeLog } from '../tables/change-log-table.ts'
import { keptNotes } from '../tables/kept-notes.ts'
import { tableRequestRecords } from '../tables/request-record-table.ts'
import type { EveryMember } from '../wrap-store.ts'
import { accessPathPlanners } from './access-path.ts'
import { finishBackfills, noteBackfills } from './backfill-items.ts'
import { readBlobKeys, readUndeclaredBlobKeys } from './blob-keys.ts'
import { sqliteChangeSignal } from './change-signal.ts'
import { changeStatements, missingChangeTables } from './change-table.ts'
import { databaseFiles } from './database-files.ts'
import { sqliteDialect } from './dialect.ts'
import type { DocumentReadContext } from './document-read-context.ts'
import { documentReader, type TransactionReader, transactionReader } from './document-reader.ts'
import { endsOldProcesses } from './ends-old-processes.ts'
import { type FileFingerprints, fileFingerprints } from './file-fingerprints.ts'
import { fillTables } from './fill-tables.ts'
import { defaultLargeTableRows, largeTableCheck } from './large-table-check.ts'
import { lazyConnection } from './lazy-connection.ts'
import { migrateItems } from './migrate-items.ts'
import { refuseMissingValues } from './missing-values.ts'
import { checkDatabaseFile, openDatabaseFile } from './open-database-file.ts'
import { closeFile, type FileOptions, fileDatabase, type OpenFile, openFile } from './open-file.ts'
import { planFile } from './plan-file.ts'
import {
  addIndexes,
  checkVersion,
  columnFacts,
  prepareTables,
  renameTables,
} from './prepare-tables.ts'
import { pruneFile } from './prune-file.ts'
import { finishRecomputation } from './recompute-in-batches.ts'
import { layoutInFile } from './renamed-tables.ts'
import { missingRequestTable, requestStatements } from './request-table.ts'
import { scanLimits } from './scan-limits.ts'
import {
  documentsOptions,
  type SqliteDocumentsOptions,
  type SqliteOptions,
  tablesOptions,
} from './sqlite-options.ts'
import { sqliteTransaction } from './sqlite-transaction.ts'
import { sqliteVersion } from './sqlite-version.ts'
import { sqliteEngine } from './tables/engine.ts'
import { inspectFile } from './tables/inspect-file.ts'
import { sessionOf } from './tables/session.ts'
import { sqliteTables } from './tables/tables-store.ts'
import { indexWords } from './words/index-words.ts'

export type { TablesOptions } from '../tables/tables-options.ts'
export type { ScanOptions } from './scan-limits.ts'
export { type SqliteBlobsOptions, sqliteBlobs } from './sqlite-blobs.ts'
export type {
  SqliteDocumentsOptions,
  SqliteFileOptions,
  SqliteOptions,
  SqliteTablesOptions,
} from './sqlite-options.ts'

/** The state of the store while the file is open. */
interface OpenStore extends OpenFile {
  readonly items: StoreReader
  readonly findVersion: NonNullable<ReadFastPaths['findVersion']>
  readonly rawJson: RawJsonReader
  readonly transactionReader: TransactionReader
  /** Checked once for each group of writes. */
  readonly writerFingerprints: FileFingerprints
  readonly readerFingerprints: FileFingerprints
}

/**
 * Reads are frequent, so they check only so often whether another process has migrated the file.
 */
const fingerprintLagMs = 100

/**
 * Stores items in an SQLite file. Creates the file and its folder where they are missing, readable
 * for the user of the process only (0600, the folder 0700). Other processes of that user may use
 * the file too.
 *
 * ```ts
 * const store = sqlite('data/bookstore.db')
 * ```
 *
 * With `layout: 'tables'` each field has a column, and other programs may write the tables too.
 *
 * @throws TypeError for `:memory:`; use `memory()` to keep items in memory. Also for an
 * address, such as `sqlite:data/shop.db`
 * @throws RegistrationError for an unknown or invalid option
 */
export function sqlite(file: string, options: SqliteOptions = {}): Store {
  checkDatabaseFile(file)
  if (options?.layout === 'tables') {
    checkOptions('sqlite()', options, tablesOptions)
    return sqliteTables(file, options)
  }
  checkOptions('sqlite()', options, documentsOptions)
  return sqliteDocuments(file, options)
}

function sqliteDocuments(file: string, options: SqliteDocumentsOptions): Store {
  const fileOptions: FileOptions = {
    durability: options.durability ?? 'full',
    limits: scanLimits(options),
    layout: 'documents',
  }
  const tables = new Map<string, DocumentTable>()
  let models: readonly ModelDescription[] = []
  let openOptions: StoreOpenOptions = {}

  const nameOf = ({ model }: DocumentTable): string => sqliteDialect.identifier(model.plural)

  const tableFor = (model: ModelDescription): DocumentTable => {
    const table = tables.get(model.name)
    if (table) return table
    throw modelNotOpened(model)
  }

  const addModels = async (
    opened: OpenStore,
    added: readonly ModelDescription[],
    { onProgress, keepsRequests, keepsChanges }: StoreOpenOptions,
  ): Promise<void> => {
    const { commits, writer, writerFingerprints, readerFingerprints } = opened
    const layouts = added.map((model) => layoutOf(sqliteDialect, model))
    const present = (layout: TableLayout) => layoutInFile(writer, layout, layouts)
    await commits.run(async () => checkVersion(writer))
    const runs = await fillTables(commits, writer, layouts, onProgress)
    if (mayHaveOldWorkers() && (await commits.run(async () => endsOldProcesses(writer, layouts))))
      await pauseOldWorkers()
    let undo = (): void => undefined
    const migration = commits.run(async () => {
      const filled = new Set<TableLayout>()
      for (const layout of layouts)
        if (await finishBackfills(writer, present(layout))) filled.add(layout)
      for (const layout of layouts)
        await finishRecomputation(writer, present(layout), layout, runs.get(layout))
      renameTables(writer, layouts)
      prepareTables(writer, layouts)
      if (keepsRequests) for (const sql of missingRequestTable(writer)) writer.exec(sql)
      if (keepsChanges) {
        for (const sql of missingChangeTables(writer)) writer.exec(sql)
        await beginChangeLog(changeStatements, sessionOf(writer))
      }
      for (const layout of layouts) {
        noteBackfills(writer, layout)
        await refuseMissingValues(writer, layout)
        await migrateItems(writer, layout, { isForced: filled.has(layout), onProgress })
      }
      addIndexes(writer, layouts)
      undo = writerFingerprints.expect(layouts)
      return layouts.map((layout) => tableOf(sqliteDialect, layout, columnFacts(writer, layout)))
    })
    const addedTables = await migration.catch((error: unknown) => {
      undo()
      throw error
    })
    // Readers see the migration only after the commit.
    readerFingerprints.expect(layouts)
    const all = new Map(tables)
    for (const table of addedTables) all.set(table.model.name, table)
    // A model that is added may search texts of one that was there before.
    for (const table of await indexWords(opened, sqliteDialect, [...all.values()], nameOf))
      tables.set(table.model.name, table)
  }

  const connect = (): Promise<OpenStore> =>
    openDatabaseFile(file, async (factory) => {
      let writerFingerprints: FileFingerprints | undefined
      const opened = openFile(file, factory, fileOptions, (writer) => {
        writerFingerprints = fileFingerprints(writer, Number.POSITIVE_INFINITY)
        return { onBegin: writerFingerprints.invalidate }
      })
      const { reader, writer, offload } = opened
      const prepared = documentQueries(sqliteDialect, tableFor, accessPathPlanners)
      const isLarge = largeTableCheck(
        reader,
        tableFor,
        options.largeTableRows ?? defaultLargeTableRows,
      )
      const context: DocumentReadContext = {
        connection: reader,
        queries: prepared,
        isLarge,
        offload,
      }
      const openStore: OpenStore = {
        ...opened,
        ...documentReader(context),
        transactionReader: transactionReader({ connection: writer, queries: prepared, isLarge }),
        writerFingerprints: writerFingerprints!,
        readerFingerprints: fileFingerprints(reader, fingerprintLagMs),
      }
      await addModels(openStore, models, openOptions)
      return openStore
    })

  const { current, ready, whenOpen, close } = lazyConnection('The store', connect, (opened) =>
    closeFile(file, opened),
  )
  const database = fileDatabase(whenOpen)
  const changeSignal = sqliteChangeSignal(() => current()?.reader)

  /** Rejects once another process has migrated the file. */
  const whenReadable = <T>(work: (opened: OpenStore) => Promise<T>): Promise<T> =>
    whenOpen((opened) => {
      const error = opened.readerFingerprints.migrationError()
      return error ? Promise.reject(error) : work(opened)
    })

  const readable = (): OpenStore | undefined => {
    const opened = current()
    return opened?.readerFingerprints.migrationError() ? undefined : opened
  }

  const writeIn = <T>(
    { commits, writer, transactionReader, writerFingerprints }: OpenStore,
    work: (transaction: StoreTransaction) => Promise<T>,
    call: StoreCall | undefined,
  ): Promise<T> => {
    let hasAddedChanges = false
    const written = commits.runUndoable(async (log) => {
      const error = writerFingerprints.migrationError()
      if (error) throw error
      const { transaction, end } = sqliteTransaction(writer, tableFor, transactionReader, log)
      try {
        return await work(transaction)
      } finally {
        hasAddedChanges = end().hasAddedChanges
      }
    }, call)
    if (!openOptions.keepsChanges) return written
    return written.then((result) => {
      if (hasAddedChanges) changeSignal.committed()
      return result
    })
  }

  async function* listWhenReady(
    model: ModelDescription,
    plan: QueryPlan,
    call: StoreCall | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    yield* (await whenReadable(async (opened) => opened)).items.list(model, plan, call)
  }

  return {
    async open(added, options = {}) {
      const keepsRequests = options.keepsRequests || openOptions.keepsRequests
      const keepsChanges = options.keepsChanges || openOptions.keepsChanges
      openOptions = { ...options, keepsRequests, keepsChanges }
      models = [
        ...models.filter((model) => !added.some(({ name }) => name === model.name)),
        ...added,
      ]
      const opened = current()
      if (opened) await addModels(opened, added, options)
      else await ready()
    },
    facts: { batchPauseMs: sqliteEngine.batchPauseMs },
    files: databaseFiles(file, (path) => sqliteDocuments(path, options), 'go on'),
    admin: {
      describe: async () => {
        const opened = current()
        return opened && { engine: sqliteVersion(opened.reader), format: 'documents' }
      },
      plan: (planned, planOptions) => planFile(file, planned, planOptions),
      prune: (declared, pruneOptions) => pruneFile(file, declared, pruneOptions),
      async *undeclaredBlobKeys(declared) {
        const { reader } = await whenReadable(async (opened) => opened)
        yield* readUndeclaredBlobKeys(database, reader, declared)
      },
    },
    notes: keptNotes(
      sqliteDialect,
      '"_layout"',
      database,
      (statements) =>
        current()
          ? database.read(statements)
          : inspectFile(file, 'tables', (session) => session.run(statements)),
      () => true,
    ),
    requestRecords: tableRequestRecords(
      requestStatements,
      database,
      () => openOptions.keepsRequests === true,
    ),
    changes: tableChangeLog(
      changeStatements,
      database,
      changeSignal,
      () => openOptions.keepsChanges === true,
    ),
    find: (model, condition) =>
      readable()?.items.find(model, condition) ??
      whenReadable(({ items }) => items.find(model, condition)),
    list: (model, plan, call) =>
      readable()?.items.list(model, plan, call) ?? listWhenReady(model, plan, call),
    page: (model, plan, call) => whenReadable(({ items }) => items.page(model, plan, call)),
    fastPaths: {
      findVersion: (model, condition) =>
        readable()?.findVersion(model, condition) ??
        whenReadable(({ findVersion }) => findVersion(model, condition)),
      // Before the store is open, after it is closed and after a migration, the callers use the
      // asynchronous methods.
      rawJson: {
        page: (model, plan, linked, format, call) =>
          readable()?.rawJson.page(model, plan, linked, format, call) ??
          whenReadable(({ rawJson }) => rawJson.page(model, plan, linked, format, call)),
        list: (model, plan, call) => readable()?.rawJson.list(model, plan, call),
      },
      async *blobKeys({ plural }) {
        await whenReadable(async () => undefined)
        yield* readBlobKeys(database, plural)
      },
    },
    count: (model, condition, call) =>
      whenReadable(({ items }) => items.count(model, condition, call)),
    groups: (model, plan, call) => whenReadable(({ items }) => items.groups(model, plan, call)),
    async *relatedPages(model, relation, owners, plan, call) {
      yield* (await whenReadable(async (opened) => opened)).items.relatedPages(
        model,
        relation,
        owners,
        plan,
        call,
      )
    },
    write: (work, call) => whenOpen((opened) => writeIn(opened, work, call)),
    async close() {
      await changeSignal.close()
      await close()
    },
  } satisfies EveryMember<Store>
}
