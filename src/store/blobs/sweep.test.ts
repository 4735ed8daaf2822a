import { describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { keysOf } from '../../contracts/blob-store/harness.ts'
import type { BlobStore, ListedBlob } from '../blob-store.ts'
import { memoryBlobs } from '../memory/memory-blobs.ts'
import { sweep } from './sweep.ts'

const hour = 3_600_000

describe('sweep', () => {
  it('deletes old blobs that no item refers to, and nothing else', async () => {
    const blobs = memoryBlobs()
    const [used, unused, young] = await Promise.all(
      [1, 2, 3].map((size) => blobs.write(inPieces(bytesOf(size)))),
    )
    const aged = agedBlobs(blobs, ({ key }) => (key === young ? hour - 1_000 : hour + 1_000))
    expect(await sweep(aged, new Set([used!, 'never-there']), hour)).toBe(1)
    expect(await keysOf(blobs)).toEqual([used, young].sort())
    expect(await blobs.read(unused!)).toBeUndefined()
  })

  it('reads the keys in use from an async iterable', async () => {
    const blobs = memoryBlobs()
    const keys = await Promise.all([1, 2, 3].map((size) => blobs.write(inPieces(bytesOf(size)))))
    async function* used(): AsyncGenerator<string, void> {
      yield keys[0]!
      yield keys[2]!
    }
    expect(
      await sweep(
        agedBlobs(blobs, () => 2 * hour),
        used(),
        hour,
      ),
    ).toBe(1)
    expect(await keysOf(blobs)).toEqual([keys[0], keys[2]].sort())
  })

  it('keeps an upload under way, however long ago it began, as long as bytes arrive', async () => {
    const blobs = memoryBlobs()
    async function* slow(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf(1)
      expect(await sweep(blobs, new Set(), 1_000)).toBe(0)
      yield bytesOf(1)
    }
    expect(await keysOf(blobs)).toEqual([])
    const key = await blobs.write(slow())
    expect(await keysOf(blobs)).toEqual([key])
  })

  it('deletes an unfinished upload', async () => {
    const blobs = memoryBlobs()
    let deleted = 0
    async function* abandoned(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf(1)
      deleted = await sweep(
        agedBlobs(blobs, () => 2 * hour),
        new Set(),
        hour,
      )
      yield bytesOf(1)
    }
    await expect(blobs.write(abandoned())).rejects.toThrow('was deleted')
    expect(deleted).toBe(1)
  })

  it('deletes many blobs in batches', async () => {
    const blobs = memoryBlobs()
    for (let count = 0; count < 1_234; count++) await blobs.write(inPieces(bytesOf(1)))
    expect(
      await sweep(
        agedBlobs(blobs, () => 2 * hour),
        new Set(),
        hour,
      ),
    ).toBe(1_234)
    expect(await keysOf(blobs)).toEqual([])
  })

  it('deletes nothing if reading the keys in use fails', async () => {
    const blobs = memoryBlobs()
    const key = await blobs.write(inPieces(bytesOf(1)))
    async function* failing(): AsyncGenerator<string, void> {
      yield 'other'
      throw new Error('away')
    }
    await expect(
      sweep(
        agedBlobs(blobs, () => 2 * hour),
        failing(),
        hour,
      ),
    ).rejects.toThrow('away')
    expect(await keysOf(blobs)).toEqual([key])
  })
})

/** The blobs as if they had been written a number of milliseconds ago. */
function agedBlobs(blobs: BlobStore, ageOf: (blob: ListedBlob) => number): BlobStore {
  return {
    ...blobs,
    async *list() {
      for await (const blob of blobs.list()) yield { ...blob, writtenAt: Date.now() - ageOf(blob) }
    },
  }
}
