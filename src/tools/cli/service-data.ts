import type { ModelDescription, Store } from '../../store/public.ts'
import { sqliteFileAt } from '../../store/read-database.ts'
import { type DataSource, dataSourceOf } from '../backup/data-source.ts'
import type { StoreOpening } from '../backup/test-restore.ts'
import { importStorage, type ModuleStorage } from './open-storage.ts'

/** The files of a service, and how it opens them. */
export interface ServiceData {
  readonly source: DataSource
  /** Undefined for an address, which says nothing of models. */
  readonly opening: StoreOpening | undefined
}

/**
 * The files that an argument names: those of a module that exports a router, or `sqlite:<file>`.
 * @throws Error if the store has no files that can be copied
 */
export async function serviceDataOf(name: string, withoutBlobs = false): Promise<ServiceData> {
  const file = sqliteFileAt(name)
  if (file === undefined) return dataOf(await importStorage(name), withoutBlobs)
  const { sqlite } = await import('../../store/sqlite/sqlite.ts')
  // Blobs in the file are copied with it.
  return { source: dataSourceOf(sqlite(file), undefined), opening: undefined }
}

function dataOf({ store, blobs, models, contents }: ModuleStorage, without: boolean): ServiceData {
  const storedModels = new Map<string, ModelDescription>()
  for (const content of contents)
    for (const model of content.storedModels()) storedModels.set(model.name, model)
  const shown = new Set(models.map(({ modelName }) => modelName))
  const stored = [...storedModels.values()]
  return {
    source: dataSourceOf(store, blobs, without),
    opening: {
      models: stored.filter((model) => shown.has(model.name)),
      storedModels: stored,
      async open(opened: Store) {
        for (const { kept } of contents) await opened.open(stored, kept())
      },
    },
  }
}
