import { describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { keysOf, readAll } from '../../contracts/blob-store/harness.ts'
import { reopens } from '../../contracts/blob-store/reopening.ts'
import { blobStoreContract } from '../../contracts/blob-store-contract.ts'
import { BlobGone, type BlobStore } from '../blob-store.ts'
import { memoryBlobs } from '../memory/memory-blobs.ts'
import { type SharedBlobs, sharedBlobs } from './shared-blobs.ts'
import { sweep } from './sweep.ts'

const fail = (error: unknown) => {
  throw error
}

/** The shared blobs with the methods of a blob store. */
function asStore({ store, write, read, deleteUnreferenced, sweepable }: SharedBlobs): BlobStore {
  return {
    open: store.open,
    close: store.close,
    write,
    read,
    delete: deleteUnreferenced,
    list: sweepable.list,
  }
}

blobStoreContract(
  'shared blobs',
  async () => {
    const store = memoryBlobs()
    const blobs = asStore(sharedBlobs(store, fail))
    return {
      blobs,
      chunkBytes: 65_536,
      listFiles: () => keysOf(store),
      dispose: () => blobs.close(),
    }
  },
  { [reopens]: 'the store below does so' },
)

describe('Blobs with readers', () => {
  it('are deleted when the last reader has finished, and not before', async () => {
    const store = memoryBlobs()
    const blobs = sharedBlobs(store, fail)
    const key = await blobs.write(inPieces(bytesOf(1_000)))
    const releases = [blobs.retain(key), blobs.retain(key)]
    await blobs.deleteUnreferenced([key])
    releases[0]!()
    releases[0]!()
    expect((await readAll(asStore(blobs), key))?.length).toBe(1_000)
    releases[1]!()
    expect(await keysOf(store)).toEqual([])
  })

  it('stay during a sweep, and are deleted when the last reader has finished', async () => {
    const store = memoryBlobs()
    const blobs = sharedBlobs(store, fail)
    const [retained, other] = [
      await blobs.write(inPieces(bytesOf(10))),
      await blobs.write(inPieces(bytesOf(10))),
    ]
    const release = blobs.retain(retained)
    await sweep(blobs.sweepable, new Set(), -1)
    expect(await keysOf(store)).toEqual([retained])
    expect(await blobs.read(other)).toBeUndefined()
    release()
    expect(await keysOf(store)).toEqual([])
  })

  it('do not exist if another process deletes them before their first byte is read', async () => {
    const store = memoryBlobs()
    async function* gone(key: string): AsyncGenerator<Uint8Array, void> {
      if (key !== '') throw new BlobGone(key)
      yield bytesOf(1)
    }
    const blobs = sharedBlobs({ ...store, read: async (key) => gone(key) }, fail)
    expect(await blobs.read(await blobs.write(inPieces(bytesOf(10))))).toBeUndefined()
  })
})
