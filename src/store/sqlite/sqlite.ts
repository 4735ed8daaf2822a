import { checkOptions, type OptionChecks, wholeNumber } from '../../model/check-options.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Table } from '../sql/table.ts'
import type { Caller, RawJsonReader, Store, StoreReader, StoreTransaction } from '../store.ts'
import type { EveryMember } from '../wrap-store.ts'
import type { Connection } from './connection.ts'
import { type FileFingerprints, fileFingerprints } from './file-fingerprints.ts'
import { type GroupCommit, groupCommit } from './group-commit.ts'
import { largeCommits } from './large-commits.ts'
import { defaultLargeTableRows, largeTableCheck } from './large-table-check.ts'
import { layoutOf, tableOf } from './layout.ts'
import { lazyConnection } from './lazy-connection.ts'
import { migrateItems } from './migrate-items.ts'
import { checkDatabaseFile, closeDatabaseFile, openDatabaseFile } from './open-database-file.ts'
import { columnsWithNulls, prepareTables } from './prepare-tables.ts'
import { queries } from './queries.ts'
import { rawJsonReader } from './raw-json-reader.ts'
import { type ScanOptions, scanLimits, scanOptions } from './scan-limits.ts'
import { scanOffload } from './scan-offload.ts'
import { type ScanPool, scanPool } from './scan-pool.ts'
import { sqliteReader } from './sqlite-reader.ts'
import { sqliteTransaction } from './sqlite-transaction.ts'
import { versionReader } from './version-reader.ts'

export { type SqliteBlobsOptions, sqliteBlobs } from './sqlite-blobs.ts'

export interface SqliteOptions extends ScanOptions {
  /**
   * What a settled write survives: `full` (unless given) a power cut, `normal` the end of the
   * process, at a sixth of the cost.
   */
  readonly durability?: 'full' | 'normal'
  /**
   * How many rows a table may have to be read as a whole on the main thread; beyond, what no index
   * bounds is read in a worker: 5 000.
   */
  readonly largeTableRows?: number
}

/** What is there while the file is open. */
interface OpenStore {
  readonly reader: StoreReader
  readonly findVersion: NonNullable<Store['findVersion']>
  readonly rawJson: RawJsonReader
  readonly writer: Connection
  readonly readerConnection: Connection
  readonly transactionReader: StoreReader
  readonly commits: GroupCommit
  readonly scanPool: ScanPool
  /** Exact, for what writes. */
  readonly writerFingerprints: FileFingerprints
  readonly readerFingerprints: FileFingerprints
}

/**
 * Reads are many, so they look only so often whether another process has migrated the file. In
 * milliseconds.
 */
const readLagMs = 100

/**
 * A store in an SQLite file, which is made when it is missing, with its folder, readable for the
 * user of the process alone (0600, the folder 0700). Other processes of that user may use the file
 * too.
 *
 * ```ts
 * const store = sqlite('data/bookstore.db')
 * ```
 * @throws TypeError when it names no file, such as `:memory:`; `memory()` keeps items in memory
 */
export function sqlite(file: string, options: SqliteOptions = {}): Store {
  checkDatabaseFile(file)
  checkOptions('sqlite()', options, sqliteOptions)
  const limits = scanLimits(options)
  const tables = new Map<string, Table>()
  let models: readonly ModelDescription[] = []

  const tableFor = (model: ModelDescription): Table => {
    const table = tables.get(model.name)
    if (table) return table
    throw new Error(`The store was not opened with the model '${model.name}'.`)
  }

  const addModels = async (
    { commits, writer, writerFingerprints, readerFingerprints }: OpenStore,
    added: readonly ModelDescription[],
  ): Promise<void> => {
    const layouts = added.map(layoutOf)
    let undo = (): void => undefined
    const migrating = commits.run(async () => {
      prepareTables(writer, layouts)
      for (const layout of layouts) await migrateItems(writer, layout)
      undo = writerFingerprints.expect(layouts)
      return layouts.map((layout) => tableOf(layout, columnsWithNulls(writer, layout)))
    })
    const made = await migrating.catch((error: unknown) => {
      undo()
      throw error
    })
    // Only now can readers see it.
    readerFingerprints.expect(layouts)
    for (const table of made) tables.set(table.model.name, table)
  }

  const connect = (): Promise<OpenStore> =>
    openDatabaseFile(file, async (to) => {
      const writer = to.openWriter(options.durability ?? 'full')
      const readerConnection = to.openReader('cache_size = -16000')
      const made = queries(tableFor)
      const scanning = scanPool(file, to.driverSpecifier, limits)
      const long = scanOffload(
        scanning,
        largeTableCheck(
          readerConnection,
          tableFor,
          options.largeTableRows ?? defaultLargeTableRows,
        ),
      )
      const found: OpenStore = {
        rawJson: rawJsonReader(readerConnection, made, long),
        reader: sqliteReader({ connection: readerConnection, queries: made, offload: long }),
        findVersion: versionReader(readerConnection, made),
        transactionReader: sqliteReader({ connection: writer, queries: made }),
        commits: groupCommit(writer, largeCommits(file, to.driverSpecifier, writer)),
        scanPool: scanning,
        writerFingerprints: fileFingerprints(writer, 0),
        readerFingerprints: fileFingerprints(readerConnection, readLagMs),
        writer,
        readerConnection,
      }
      await addModels(found, models)
      return found
    })

  const disconnect = async ({
    commits,
    scanPool,
    readerConnection,
    writer,
  }: OpenStore): Promise<void> => {
    await commits.idle()
    await scanPool.close()
    await closeDatabaseFile([readerConnection], [writer])
  }

  const { current, ready, whenOpen, close } = lazyConnection('The store', connect, disconnect)

  /** Where another process has migrated the file, nothing is read. */
  const whenReadable = <T>(work: (opened: OpenStore) => Promise<T>): Promise<T> =>
    whenOpen((opened) => {
      const fault = opened.readerFingerprints.migrationError()
      return fault ? Promise.reject(fault) : work(opened)
    })

  const readable = (): OpenStore | undefined => {
    const opened = current()
    return opened?.readerFingerprints.migrationError() ? undefined : opened
  }

  const writeIn = <T>(
    { commits, writer, transactionReader, writerFingerprints }: OpenStore,
    work: (transaction: StoreTransaction) => Promise<T>,
    caller: Caller | undefined,
  ): Promise<T> =>
    commits.run(async () => {
      const fault = writerFingerprints.migrationError()
      if (fault) throw fault
      const { transaction: open, end } = sqliteTransaction(writer, tableFor, transactionReader)
      try {
        return await work(open)
      } finally {
        end()
      }
    }, caller)

  async function* listWhenReady(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    yield* (await whenReadable(async (opened) => opened)).reader.list(model, plan, caller)
  }

  return {
    async open(added) {
      models = [
        ...models.filter((model) => !added.some((one) => one.name === model.name)),
        ...added,
      ]
      const opened = current()
      if (opened) await addModels(opened, added)
      else await ready()
    },
    find: (model, condition) => whenReadable(({ reader }) => reader.find(model, condition)),
    findVersion: (model, condition) =>
      whenReadable(({ findVersion }) => findVersion(model, condition)),
    list: (model, plan, caller) =>
      readable()?.reader.list(model, plan, caller) ?? listWhenReady(model, plan, caller),
    page: (model, plan, caller) => whenReadable(({ reader }) => reader.page(model, plan, caller)),
    // Before it is open, after it is closed and where it was migrated, the ways that wait are
    // taken.
    rawJson: {
      page: (model, plan, linked, line, caller) =>
        whenReadable((found) => found.rawJson.page(model, plan, linked, line, caller)),
      list: (model, plan, caller) => readable()?.rawJson.list(model, plan, caller),
    },
    count: (model, condition, caller) =>
      whenReadable(({ reader }) => reader.count(model, condition, caller)),
    async *relatedPages(model, relation, owners, plan, caller) {
      yield* (await whenReadable(async (opened) => opened)).reader.relatedPages(
        model,
        relation,
        owners,
        plan,
        caller,
      )
    },
    write: (work, caller) => whenOpen((found) => writeIn(found, work, caller)),
    close,
  } satisfies EveryMember<Store>
}

const sqliteOptions: OptionChecks<SqliteOptions> = {
  durability: ['full', 'normal'],
  largeTableRows: wholeNumber(0),
  ...scanOptions,
}
