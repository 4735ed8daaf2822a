import { setTimeout as wait } from 'node:timers/promises'
import type { ModelDescription } from '../../model/model-description.ts'
import {
  type Caller,
  type Store,
  type StoreReader,
  type StoreTransaction,
  StoreUnavailable,
} from '../store.ts'
import { modelNotOpened } from '../store-errors.ts'
import type { Engine } from './engine.ts'
import { itemQueries } from './item-queries.ts'
import { type ItemTable, itemTable } from './item-table.ts'
import { versionMaker } from './item-version.ts'
import { manageTables, tablesOf } from './manage-tables.ts'
import { type RelationalLayout, relationalLayout } from './relational-layout.ts'
import { createSettings, versionSecretIn } from './settings-table.ts'
import type { SqlDatabase } from './sql-database.ts'
import { tablesReader } from './tables-reader.ts'
import { ConcurrentChange, TablesTransaction } from './tables-transaction.ts'

export interface TablesStoreOptions {
  /** Behind the versions of items; undefined to keep one in the database. */
  readonly versionSecret: string | undefined
  readonly addsForeignKeys: boolean
}

/** How often a transaction runs whose items others change. */
const maxAttempts = 8
/** The second attempt sees that a related item is not there, unless nobody looks. */
const maxForeignKeyAttempts = 3

/** A store that keeps items in ordinary tables. */
export function tablesStore(
  engine: Engine,
  database: SqlDatabase,
  { versionSecret, addsForeignKeys }: TablesStoreOptions,
): Store {
  const tables = new Map<string, ItemTable>()
  const tableOf = (model: ModelDescription): ItemTable => {
    const table = tables.get(model.name)
    if (table) return table
    throw modelNotOpened(model)
  }
  const queries = itemQueries(engine, tableOf)
  const reader: StoreReader = tablesReader({
    queries,
    tableOf,
    run: (statements, caller) => database.read(statements, caller),
  })
  const context = { engine, queries, tableOf }
  let opening = Promise.resolve()

  const openModels = async (models: readonly ModelDescription[]): Promise<void> => {
    const layouts = new Map<ModelDescription, RelationalLayout>()
    const layoutOf = (model: ModelDescription): RelationalLayout => {
      const layout = layouts.get(model) ?? relationalLayout(model, engine.maxNameBytes)
      layouts.set(model, layout)
      return layout
    }
    const opened = models.map(layoutOf)
    const { schema, secret } = await database.transaction(async (session) => {
      await session.run([{ sql: engine.lockSchema, parameters: [] }])
      await createSettings(engine, session)
      await manageTables(engine, session, opened, { layoutOf, addsForeignKeys })
      return {
        schema: await engine.readSchema(session, { kind: 'tables', names: tablesOf(opened) }),
        secret: versionSecret ?? (await versionSecretIn(engine, session)),
      }
    })
    for (const layout of opened) {
      tables.set(layout.model.name, itemTable(engine, layout, schema, versionMaker(secret)))
    }
  }

  const writeOnce = <T>(
    work: (transaction: StoreTransaction) => Promise<T>,
    caller: Caller | undefined,
  ): Promise<T> =>
    database.transaction(async (session) => {
      const transaction = new TablesTransaction(context, session)
      try {
        return await work(transaction)
      } finally {
        transaction.end()
      }
    }, caller)

  return {
    open(models) {
      opening = opening.catch(() => {}).then(() => openModels(models))
      return opening
    },
    ...reader,
    async write(work, caller) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await writeOnce(work, caller)
        } catch (error) {
          const attempts = maxAttemptsAfter(engine, error)
          if (attempts === 1) throw error
          if (attempt >= attempts) throw stillConcurrent(attempt, error as Error)
        }
        await wait(Math.random() * 10 * attempt)
        caller?.signal.throwIfAborted()
      }
    },
    close: () => database.close(),
  }
}

/**
 * How often a transaction runs that ends with this error: once, unless others got in its way. A
 * foreign key that is violated at the end tells that another one removed an item in the meantime.
 */
function maxAttemptsAfter(engine: Engine, error: unknown): number {
  if (error instanceof ConcurrentChange) return maxAttempts
  return engine.violationOf(error)?.kind === 'foreignKey' ? maxForeignKeyAttempts : 1
}

function stillConcurrent(attempts: number, cause: Error): StoreUnavailable {
  return new StoreUnavailable(`${attempts} attempts failed: ${cause.message}.`, { cause })
}
