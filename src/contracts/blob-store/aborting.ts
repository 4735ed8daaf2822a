import fc from 'fast-check'
import { expect } from 'vitest'
import { bytesOf } from '../bytes.ts'
import {
  Aborted,
  abortedAfter,
  type BlobSuite,
  descriptors,
  expectDescriptors,
  keysOf,
} from './harness.ts'

export function aborting(suite: BlobSuite): void {
  suite.alone(
    'leaves nothing of an upload that is aborted, at whatever offset',
    async ({ blobs, chunkBytes, listFiles }) => {
      const bytes = bytesOf(2 * chunkBytes + 10)
      const offsets = fc.oneof(
        fc.constantFrom(0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, bytes.length),
        fc.nat(bytes.length),
      )
      const before = await listFiles()
      await fc.assert(
        fc.asyncProperty(
          offsets,
          fc.integer({ min: 1_000, max: 100_000 }),
          async (offset, size) => {
            await expect(blobs.write(abortedAfter(offset, bytes, size))).rejects.toThrow(Aborted)
            expect(await keysOf(blobs)).toEqual([])
            expect(await listFiles()).toEqual(before)
          },
        ),
        { numRuns: 20 },
      )
    },
  )

  suite.alone(
    'leaves no file, row or descriptor of 1 000 aborted uploads',
    async ({ blobs, listFiles }) => {
      const bytes = bytesOf(40_000)
      const before = await listFiles()
      await expect(blobs.write(abortedAfter(10, bytes))).rejects.toThrow(Aborted)
      // Whatever the store opens once, such as a connection for reads, is open now.
      expect(await keysOf(blobs)).toEqual([])
      const openBefore = descriptors()
      for (let round = 0; round < 40; round++) {
        const uploads = Array.from({ length: 25 }, (_, index) =>
          blobs.write(abortedAfter((round * 997 + index * 1_601) % bytes.length, bytes, 9_000)),
        )
        const outcomes = await Promise.allSettled(uploads)
        expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'))
      }
      expect(await keysOf(blobs)).toEqual([])
      expect(await listFiles()).toEqual(before)
      await expectDescriptors(openBefore)
    },
  )

  suite.alone('fails with the very error of the source', async ({ blobs }) => {
    const error = new Aborted('mine')
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
    }
    expect(await blobs.write(source).catch((error) => error)).toBe(error)
  })

  suite.alone('lets the blobs beside an aborted upload be', async ({ blobs }) => {
    const [files] = await Promise.all([
      blobs.write(abortedAfterNothing()),
      blobs.write(abortedAfter(50, bytesOf(100))).catch(() => undefined),
    ])
    expect(await keysOf(blobs)).toEqual([files])
  })
}

async function* abortedAfterNothing(): AsyncGenerator<Uint8Array, void> {
  yield bytesOf(1_000)
}
