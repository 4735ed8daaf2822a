import { checkOptions, type KnownOptions, wholeNumber } from '../../model/check-options.ts'
import type { ModelDescription } from '../../model/description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { EveryMember } from '../forward.ts'
import type { Table } from '../sql/table.ts'
import type { Caller, Store, StoreReader, StoreTexts, StoreTransaction } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Connection } from './connection.ts'
import { elsewhere } from './elsewhere.ts'
import { type FileForms, fileForms } from './file-forms.ts'
import { type GroupCommit, groupCommit } from './group-commit.ts'
import { largeCommits } from './large-commits.ts'
import { layoutOf, tableOf } from './layout.ts'
import { checkFile, closeFile, openFile } from './open-file.ts'
import { opening } from './opening.ts'
import { columnsWithNulls, prepareTables } from './prepare-tables.ts'
import { queries } from './queries.ts'
import { reader } from './reader.ts'
import { renewItems } from './renew-items.ts'
import { type ScanOptions, scanLimits, scanOptions } from './scan-limits.ts'
import { type Scans, scans } from './scans.ts'
import { defaultLargeTable, sizes } from './sizes.ts'
import { texts } from './texts.ts'
import { transaction } from './transaction.ts'
import { versions } from './versions.ts'

export { type SqliteBlobsOptions, sqliteBlobs } from './sqlite-blobs.ts'

export interface SqliteOptions extends ScanOptions {
  /**
   * What a settled write survives: `full` (unless given) a power cut, `normal` the end of the process, at a sixth of
   * the cost.
   */
  readonly durability?: 'full' | 'normal'
  /** How many rows a table may have to be read as a whole on the main thread; beyond, what no index bounds is read in a worker: 5 000. */
  readonly largeTable?: number
}

/** What is there while the file is open. */
interface Opened {
  readonly reads: StoreReader
  readonly version: NonNullable<Store['version']>
  readonly texts: StoreTexts
  readonly writer: Connection
  readonly readerConnection: Connection
  readonly transactionReads: StoreReader
  readonly commits: GroupCommit
  readonly scans: Scans
  /** Exact, for what writes. */
  readonly writerForms: FileForms
  readonly readerForms: FileForms
}

/** Reads are many, so they look only so often whether another process has migrated the file. In milliseconds. */
const readLagMs = 100

/**
 * A store in an SQLite file, which is made when it is missing, with its folder, readable for the user of the process alone (0600, the folder 0700). Other
 * processes of that user may use the file too.
 *
 * ```ts
 * const store = sqlite('data/bookstore.db')
 * ```
 * @throws TypeError when it names no file, such as `:memory:`; `memory()` keeps items in memory
 */
export function sqlite(file: string, options: SqliteOptions = {}): Store {
  checkFile(file)
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
    { commits, writer, writerForms, readerForms }: Opened,
    added: readonly ModelDescription[],
  ): Promise<void> => {
    const layouts = added.map(layoutOf)
    let undo = (): void => undefined
    const migrating = commits.run(async () => {
      prepareTables(writer, layouts)
      for (const layout of layouts) await renewItems(writer, layout)
      undo = writerForms.expect(layouts)
      return layouts.map((layout) => tableOf(layout, columnsWithNulls(writer, layout)))
    })
    const made = await migrating.catch((error: unknown) => {
      undo()
      throw error
    })
    // Only now can readers see it.
    readerForms.expect(layouts)
    for (const table of made) tables.set(table.model.name, table)
  }

  const connect = (): Promise<Opened> =>
    openFile(file, async (to) => {
      const writer = to.writer(options.durability ?? 'full')
      const readerConnection = to.reader('cache_size = -16000')
      const made = queries(tableFor)
      const scanning = scans(file, to.driver, limits)
      const long = elsewhere(scanning, sizes(readerConnection, tableFor, options.largeTable ?? defaultLargeTable))
      const found: Opened = {
        texts: texts(readerConnection, made, long),
        reads: reader({ connection: readerConnection, queries: made, elsewhere: long }),
        version: versions(readerConnection, made),
        transactionReads: reader({ connection: writer, queries: made }),
        commits: groupCommit(writer, largeCommits(file, to.driver, writer)),
        scans: scanning,
        writerForms: fileForms(writer, 0),
        readerForms: fileForms(readerConnection, readLagMs),
        writer,
        readerConnection,
      }
      await addModels(found, models)
      return found
    })

  const disconnect = async ({ commits, scans, readerConnection, writer }: Opened): Promise<void> => {
    await commits.idle()
    await scans.close()
    await closeFile([readerConnection], [writer])
  }

  const { now, ready, whenOpen, close } = opening('The store', connect, disconnect)

  /** Where another process has migrated the file, nothing is read. */
  const whenReadable = <T>(work: (opened: Opened) => Promise<T>): Promise<T> =>
    whenOpen((opened) => {
      const fault = opened.readerForms.fault()
      return fault ? Promise.reject(fault) : work(opened)
    })

  const readable = (): Opened | undefined => {
    const opened = now()
    return opened?.readerForms.fault() ? undefined : opened
  }

  const writeIn = <T>(
    { commits, writer, transactionReads, writerForms }: Opened,
    work: (transaction: StoreTransaction) => Promise<T>,
    caller: Caller | undefined,
  ): Promise<T> =>
    commits.run(async () => {
      const fault = writerForms.fault()
      if (fault) throw fault
      const { transaction: open, end } = transaction(writer, tableFor, transactionReads)
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
    yield* (await whenReadable(async (opened) => opened)).reads.list(model, plan, caller)
  }

  return {
    async open(added) {
      models = [...models.filter((model) => !added.some((one) => one.name === model.name)), ...added]
      const opened = now()
      if (opened) await addModels(opened, added)
      else await ready()
    },
    find: (model, condition) => whenReadable(({ reads }) => reads.find(model, condition)),
    version: (model, condition) => whenReadable(({ version }) => version(model, condition)),
    list: (model, plan, caller) => readable()?.reads.list(model, plan, caller) ?? listWhenReady(model, plan, caller),
    page: (model, plan, caller) => whenReadable(({ reads }) => reads.page(model, plan, caller)),
    // Before it is open, after it is closed and where it was migrated, the ways that wait are taken.
    texts: {
      page: (model, plan, linked, line, caller) =>
        whenReadable((found) => found.texts.page(model, plan, linked, line, caller)),
      list: (model, plan, caller) => readable()?.texts.list(model, plan, caller),
    },
    count: (model, condition, caller) => whenReadable(({ reads }) => reads.count(model, condition, caller)),
    async *relatedPages(model, relation, owners, plan, caller) {
      yield* (await whenReadable(async (opened) => opened)).reads.relatedPages(model, relation, owners, plan, caller)
    },
    write: (work, caller) => whenOpen((found) => writeIn(found, work, caller)),
    close,
  } satisfies EveryMember<Store>
}

const sqliteOptions: KnownOptions<SqliteOptions> = {
  durability: ['full', 'normal'],
  largeTable: wholeNumber(0),
  ...scanOptions,
}
