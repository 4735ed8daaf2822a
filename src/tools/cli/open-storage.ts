import { existsSync } from 'node:fs'
import { type AnyModel, contentOf } from '../../index.ts'
import { sqliteFileAt } from '../../store/read-database.ts'
import { importRouters } from '../import-routers.ts'
import type { MovableStore } from '../moving/move-options.ts'
import { UsageError } from './command.ts'

/** Stores that arguments name, with the models whose items they have. */
export interface OpenStorages {
  readonly storages: readonly MovableStore[]
  readonly models: readonly AnyModel[]
  close(): Promise<void>
}

/** The store behind the routers of a module. */
export interface ModuleStorage extends MovableStore {
  readonly models: readonly AnyModel[]
  readonly contents: readonly ReturnType<typeof contentOf>[]
}

/**
 * The stores that arguments name: modules that export a router, or addresses.
 * @param modelsFile another module that exports a router with the models
 * @throws UsageError if no argument says what the models are
 */
export async function openStorages(
  names: readonly string[],
  modelsFile: string | undefined,
): Promise<OpenStorages> {
  const modules: ModuleStorage[] = []
  const importModule = async (file: string): Promise<ModuleStorage> => {
    const storage = await importStorage(file)
    modules.push(storage)
    return storage
  }
  const storages: MovableStore[] = []
  for (const name of names) storages.push((await storageAt(name)) ?? (await importModule(name)))
  if (modelsFile !== undefined) await importModule(modelsFile)
  const [first, ...others] = modules
  if (!first)
    throw new UsageError(
      'The models are missing; expected a module that exports a router as a store, or --models <module>.',
    )
  for (const { models } of others)
    if (
      models.length !== first.models.length ||
      !models.every((model) => first.models.includes(model))
    )
      throw new Error('Expected the same models in both modules. Import them from one file.')
  return {
    storages,
    models: first.models,
    close: async () => {
      for (const { store, blobs } of storages) {
        await blobs?.close()
        await store.close()
      }
    },
  }
}

/**
 * The store behind the routers of a module, which may show the same items in several ways. The
 * routers are not opened: a router deletes blobs when it opens.
 * @throws Error if the module exports no router, or routers over several stores
 */
export async function importStorage(file: string): Promise<ModuleStorage> {
  const contents = (await importRouters(file)).map(contentOf)
  const { store, blobs } = contents[0]!
  if (contents.some((content) => content.store !== store || content.blobs !== blobs))
    throw new Error(`Expected routers over one store; ${file} exports routers over several.`)
  return {
    store,
    blobs,
    models: [...new Set(contents.flatMap(({ models }) => models))],
    contents,
  }
}

/** A store by its address, with the blobs in the same database; undefined if it is no address. */
async function storageAt(name: string): Promise<MovableStore | undefined> {
  if (/^postgres(?:ql)?:\/\//.test(name)) {
    const { postgres, postgresBlobs } = await import('../../store/postgres/postgres.ts')
    return { store: postgres(name), blobs: postgresBlobs(name) }
  }
  const file = sqliteFileAt(name)
  if (file === undefined) return undefined
  const { sqlite, sqliteBlobs } = await import('../../store/sqlite/sqlite.ts')
  return { store: sqlite(file), blobs: sqliteBlobs(file) }
}

/** @throws Error if the file does not exist */
export function refuseMissingFile(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no file '${file}'.`)
}

/**
 * Refuses to read a database that does not exist: SQLite would create it.
 * @throws Error
 */
export function refuseMissingDatabase(name: string): void {
  const file = sqliteFileAt(name)
  if (file !== undefined) refuseMissingFile(file)
}
