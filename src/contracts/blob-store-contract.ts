import { describe, expect, test } from 'vitest'
import { aborting } from './blob-store/aborting.ts'
import { deleting } from './blob-store/deleting.ts'
import { type OpenBlobs, suiteOf } from './blob-store/harness.ts'
import { listing } from './blob-store/listing.ts'
import { oddKeys } from './blob-store/odd-keys.ts'
import { reading } from './blob-store/reading.ts'
import { reopening } from './blob-store/reopening.ts'
import { writing } from './blob-store/writing.ts'

/**
 * The contract of blob stores. `open` returns an empty, open blob store, and what the suite has to
 * know about it. A blob store that does not support a part lists the test and the reason in
 * `skips`.
 *
 * ```ts
 * blobStoreContract('memory', async () => {
 *   const blobs = memoryBlobs()
 *   return { blobs, chunkBytes: 65_536, listFiles: async () => [], dispose: () => blobs.close() }
 * })
 * ```
 */
export function blobStoreContract(
  name: string,
  open: OpenBlobs,
  skips: Readonly<Record<string, string>> = {},
): void {
  describe(`${name} satisfies the contract of blob stores`, () => {
    const suite = suiteOf(open, skips)
    for (const part of [writing, aborting, reading, deleting, listing, reopening, oddKeys])
      part(suite)
    test('skips only optional parts of the contract', () => {
      expect(Object.keys(skips).filter((title) => !suite.titles.has(title))).toEqual([])
    })
  })
}
