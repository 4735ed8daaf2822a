import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declareParts, type StorePart } from '../../contracts/store/parts.ts'
import { memory, memoryBlobs } from '../memory/memory.ts'
import { sqlite } from '../sqlite/sqlite.ts'
import type { Store } from '../store.ts'
import { sharedBlobs } from './shared-blobs.ts'
import { withBlobDeletion } from './with-blob-deletion.ts'

/** Only writes are wrapped; the random part also reads. */
const partsThatWrite: readonly StorePart[] = [
  'leaving',
  'writing',
  'uniqueSets',
  'transactions',
  'requestRecords',
  'random',
]

const openMemory = async () => {
  const store = withBlobs(memory())
  return { store, dispose: () => store.close() }
}

const openSqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'item-blobs-'))
  const store = withBlobs(sqlite(join(folder, 'contract.db'), { durability: 'normal' }))
  return {
    store,
    async dispose() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

declareParts('memory with blob deletion', openMemory, partsThatWrite)
declareParts('sqlite with blob deletion', openSqlite, partsThatWrite)

function withBlobs(store: Store): Store {
  const blobs = sharedBlobs(memoryBlobs(), (error) => {
    throw error
  })
  return withBlobDeletion(store, blobs, () => false)
}
