import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disposeTogether } from '../../../test/support/dispose-together.ts'
import { models as described } from '../../contracts/store/models.ts'
import { declareParts, type StorePart } from '../../contracts/store/parts.ts'
import { BlobDeletion } from '../../store/blobs/blob-deletion.ts'
import { sharedBlobs } from '../../store/blobs/shared-blobs.ts'
import { ItemSizeLimit } from '../../store/item-size-limit.ts'
import { memory, memoryBlobs } from '../../store/memory/memory.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { Store } from '../../store/store.ts'
import { UniqueRanges } from '../../store/unique-ranges.ts'
import { wrapStore } from '../../store/wrap-store.ts'
import { runUnit } from './run-unit.ts'

/** Only writes are observed; the random part also reads. */
const partsThatWrite: readonly StorePart[] = [
  'leaving',
  'writing',
  'uniqueSets',
  'transactions',
  'requestRecords',
  'random',
]

const openMemory = async () => {
  const store = withObservers(memory())
  return { store, dispose: () => store.close() }
}

const openSqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'item-blobs-'))
  const store = withObservers(sqlite(join(folder, 'contract.db'), { durability: 'normal' }))
  return {
    store,
    dispose: () =>
      disposeTogether(async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      }),
  }
}

declareParts('memory with observers', openMemory, partsThatWrite)
declareParts('sqlite with observers', openSqlite, partsThatWrite)

/** The store, with all that storage does around writes. */
function withObservers(store: Store): Store {
  const blobs = sharedBlobs(memoryBlobs(), (error) => {
    throw error
  })
  const sizeLimit = new ItemSizeLimit(10_000_000)
  const ranges = new UniqueRanges(store, described)
  const settings = { blobs, models: new Set(described), hasVariants: false }
  const observers = [sizeLimit, () => new BlobDeletion(settings), ranges]
  return wrapStore(store, {
    write: (work, call) => runUnit({ store, observers, call }, work),
  })
}
