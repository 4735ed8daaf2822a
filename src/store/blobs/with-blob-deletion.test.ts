import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../../contracts/store-contract.ts'
import { memory, memoryBlobs } from '../memory/memory.ts'
import { sqlite } from '../sqlite/sqlite.ts'
import type { Store } from '../store.ts'
import { sharedBlobs } from './shared-blobs.ts'
import { withBlobDeletion } from './with-blob-deletion.ts'

storeContract('memory with blob deletion', async () => {
  const store = withBlobs(memory())
  return { store, dispose: () => store.close() }
})

storeContract('sqlite with blob deletion', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'item-blobs-'))
  const store = withBlobs(sqlite(join(folder, 'contract.db'), { durability: 'normal' }))
  return {
    store,
    async dispose() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
})

function withBlobs(store: Store): Store {
  const blobs = sharedBlobs(memoryBlobs(), (error) => {
    throw error
  })
  return withBlobDeletion(store, blobs, () => false)
}
