import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { throwIfAborted } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import { migrateItem, schemaFingerprint } from '../../stored-item/migrate-item.ts'
import { maxNamedIds, missingValuesFault, requiredMembers } from '../missing-values.ts'
import type { Store } from '../store.ts'
import { modelNotOpened, transactionEnded } from '../store-errors.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { MemoryBackfills } from './memory-backfills.ts'
import { MemoryChangeLog } from './memory-change-log.ts'
import { memoryReader } from './memory-reader.ts'
import { MemoryRequestRecords } from './memory-request-records.ts'
import {
  committedView,
  type MemoryTable,
  memoryTable,
  startChanges,
  type TableChanges,
} from './memory-table.ts'

export { memoryBlobs } from './memory-blobs.ts'

/**
 * A store in the memory of the process, for tests and first steps. It is the reference for all
 * other stores.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), store: memory() })
 * ```
 */
export function memory(): Store {
  const tables = new Map<string, MemoryTable>()
  const backfills = new MemoryBackfills()
  const notes = new Map<string, string>()
  const requestRecords = new MemoryRequestRecords()
  const changeLog = new MemoryChangeLog()
  const writer = new FairSemaphore(1)

  const tableOf = (model: ModelDescription): MemoryTable => {
    const table = tables.get(model.name)
    if (table) return table
    throw modelNotOpened(model)
  }

  /**
   * One at a time, so that the tables do not change under a transaction. Clients take turns by the
   * time that they take.
   */
  const runNext = async <T>(run: () => Promise<T>, client = ''): Promise<T> => {
    const release = await writer.acquire(client, {})
    try {
      return await run()
    } finally {
      release()
    }
  }

  const runTransaction = async <T>(
    work: (transaction: StoreTransaction) => Promise<T>,
  ): Promise<T> => {
    const changes = new Map<MemoryTable, TableChanges>()
    let hasEnded = false
    const changesOf = (model: ModelDescription): TableChanges => {
      if (hasEnded) throw transactionEnded()
      const table = tableOf(model)
      const tableChanges = changes.get(table) ?? startChanges(table)
      changes.set(table, tableChanges)
      return tableChanges
    }
    const records = requestRecords.begin(() => {
      if (hasEnded) throw transactionEnded()
    })
    const added = changeLog.begin(() => {
      if (hasEnded) throw transactionEnded()
    })
    const result = await work({
      ...memoryReader(changesOf),
      insert: async (model, item) => changesOf(model).insert(item),
      replace: async (model, item) => changesOf(model).replace(item),
      remove: async (model, id) => changesOf(model).remove(id),
      requestRecords: records.writer,
      changes: added.writer,
    }).finally(() => {
      hasEnded = true
    })
    for (const tableChanges of changes.values()) tableChanges.commit()
    records.commit()
    added.commit()
    return result
  }

  return {
    facts: { isProcessLocal: true },
    ...memoryReader((model) => committedView(tableOf(model))),
    open: (models) =>
      runNext(async () => {
        for (const model of models) {
          const previous = tables.get(model.name)
          const items = Array.from(previous?.entries.values() ?? [], (entry) => entry.item)
          const isUnchanged =
            !previous || schemaFingerprint(previous.model) === schemaFingerprint(model)
          const filled = previous ? await backfills.fill(model, items) : items
          const migrated =
            isUnchanged && filled === items
              ? items
              : await Promise.all(filled.map((item) => migrateItem(model, item)))
          const table = memoryTable(model, migrated)
          if (!isUnchanged) await refuseMissingValues(table)
          tables.set(model.name, table)
          backfills.finish(model)
        }
      }),
    admin: {
      describe: async () => ({ engine: 'memory' }),
      async *undeclaredBlobKeys(models) {
        const names = new Set(models.map(({ name }) => name))
        for (const { model, entries } of tables.values())
          if (!names.has(model.name))
            yield Array.from(entries.values(), ({ item }) => Object.values(blobKeysOf(item))).flat()
      },
    },
    notes: {
      areKept: () => true,
      read: async (name) => notes.get(name),
      write: async (name, text) => void notes.set(name, text),
    },
    requestRecords,
    changes: changeLog,
    write: (work, call) =>
      runNext(async () => {
        throwIfAborted(call)
        return runTransaction(work)
      }, call?.client),
    async close() {
      await writer.idle()
    },
  }
}

/** @throws RegistrationError if items lack what the model requires */
async function refuseMissingValues({ model, entries }: MemoryTable): Promise<void> {
  const faults: string[] = []
  for (const member of await requiredMembers(model)) {
    const ids = [...entries.values()]
      .filter(({ values }) => isMissing(values[member.name], member.kind))
      .map(({ item }) => item.id)
    if (ids.length > 0)
      faults.push(
        missingValuesFault(model, member, { count: ids.length, ids: ids.slice(0, maxNamedIds) }),
      )
  }
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
}

function isMissing(value: unknown, kind: 'value' | 'toOne'): boolean {
  return value === undefined || (kind === 'toOne' && value === null)
}
