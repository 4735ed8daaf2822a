import type { ModelDescription } from '../../model/model-description.ts'
import { migrateItem, schemaFingerprint } from '../../stored-item/migrate-item.ts'
import type { Store, StoreTransaction } from '../store.ts'
import { memoryReader } from './memory-reader.ts'
import { type MemoryTable, memoryTable, startChanges, type TableChanges } from './memory-table.ts'

export { memoryBlobs } from './memory-blobs.ts'

/**
 * A store that keeps everything in this process and forgets it at its end: for tests and first
 * steps. It is the reference for what every store answers.
 *
 * ```ts
 * const store = memory()
 * await store.open(describe([Book, Author]))
 * ```
 */
export function memory(): Store {
  const tables = new Map<string, MemoryTable>()
  let lastWork: Promise<unknown> = Promise.resolve()

  const tableOf = (model: ModelDescription): MemoryTable => {
    const found = tables.get(model.name)
    if (found) return found
    throw new Error(`The store was not opened with the model '${model.name}'.`)
  }

  /** Works run one after the other, so a work's changes lie over tables that stand still. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = lastWork.then(work)
    lastWork = result.catch(() => undefined)
    return result
  }

  const run = async <T>(work: (transaction: StoreTransaction) => Promise<T>): Promise<T> => {
    const changes = new Map<MemoryTable, TableChanges>()
    let isOver = false
    const changesOf = (model: ModelDescription): TableChanges => {
      if (isOver)
        throw new Error(
          'The transaction is over; every call on it must be awaited inside its work.',
        )
      const committed = tableOf(model)
      const begun = changes.get(committed) ?? startChanges(committed)
      changes.set(committed, begun)
      return begun
    }
    const result = await work({
      ...memoryReader(changesOf),
      insert: async (model, item) => changesOf(model).insert(item),
      replace: async (model, item) => changesOf(model).replace(item),
      remove: async (model, id) => changesOf(model).remove(id),
    }).finally(() => {
      isOver = true
    })
    for (const one of changes.values()) one.commit()
    return result
  }

  return {
    ...memoryReader((model) => tableOf(model).entries),
    open: (models) =>
      inTurn(async () => {
        for (const model of models) {
          // Read anew, because the model may have other fields now.
          const before = tables.get(model.name)
          const kept = Array.from(before?.entries.values() ?? [], (entry) => entry.item)
          const isSame = !before || schemaFingerprint(before.model) === schemaFingerprint(model)
          tables.set(
            model.name,
            memoryTable(
              model,
              isSame ? kept : await Promise.all(kept.map((item) => migrateItem(model, item))),
            ),
          )
        }
      }),
    write: (work, caller) =>
      inTurn(async () => {
        caller?.signal.throwIfAborted()
        return run(work)
      }),
    close: () => inTurn(async () => {}),
  }
}
