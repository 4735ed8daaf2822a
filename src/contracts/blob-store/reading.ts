import fc from 'fast-check'
import { expect } from 'vitest'
import { bytesOf, inPieces } from '../bytes.ts'
import {
  type BlobSuite,
  collect,
  descriptors,
  expectDescriptors,
  expectSame,
  readAll,
} from './harness.ts'

export function reading(suite: BlobSuite): void {
  suite.alone(
    'R11: the spans between any cut points make up the whole',
    async ({ blobs, chunkBytes }) => {
      const bytes = bytesOf(2 * chunkBytes + 1_000)
      const key = await blobs.write(inPieces(bytes))
      const point = fc.oneof(
        fc.constantFrom(
          1,
          chunkBytes - 1,
          chunkBytes,
          chunkBytes + 1,
          2 * chunkBytes,
          bytes.length - 1,
        ),
        fc.integer({ min: 1, max: bytes.length - 1 }),
      )
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(point, { maxLength: 6 }), async (points) => {
          const starts = [0, ...points.sort((point, other) => point - other)]
          const parts = starts.map((start, index) =>
            readAll(blobs, key, { start, end: (starts[index + 1] ?? bytes.length) - 1 }),
          )
          expectSame(Buffer.concat((await Promise.all(parts)).map((part) => part!)), bytes)
        }),
        { numRuns: 15 },
      )
    },
  )

  suite.alone(
    'gives any span, and leaves out what lies beyond the end',
    async ({ blobs, chunkBytes }) => {
      const bytes = bytesOf(chunkBytes + 10)
      const key = await blobs.write(inPieces(bytes))
      const last = bytes.length - 1
      for (const [start, end] of [
        [0, 0],
        [last, last],
        [chunkBytes - 1, chunkBytes],
        [chunkBytes, chunkBytes],
        [5, 5_000_000_000],
        [last, last + 1],
        [bytes.length, bytes.length + 10],
        [5_000_000_000, 5_000_000_001],
      ] as const) {
        expectSame(await readAll(blobs, key, { start, end }), bytes.subarray(start, end + 1))
      }
      const empty = await blobs.write(inPieces(new Uint8Array()))
      expectSame(await readAll(blobs, empty, { start: 0, end: 0 }), new Uint8Array())
    },
  )

  suite.alone('is read by many at once, and again', async ({ blobs, chunkBytes }) => {
    const bytes = bytesOf(chunkBytes + 3)
    const key = await blobs.write(inPieces(bytes))
    for (const actual of await Promise.all(Array.from({ length: 12 }, () => readAll(blobs, key)))) {
      expectSame(actual, bytes)
    }
  })

  suite.alone('gives chunks that belong to who takes them', async ({ blobs, chunkBytes }) => {
    const bytes = bytesOf(chunkBytes + 3)
    const key = await blobs.write(inPieces(bytes))
    const chunksRead: Uint8Array[] = []
    for await (const chunk of (await blobs.read(key))!) {
      chunksRead.push(Buffer.from(chunk))
      chunk.fill(0)
    }
    expectSame(Buffer.concat(chunksRead), bytes)
    expectSame(await readAll(blobs, key), bytes)
  })

  suite.alone(
    'holds nothing open before the first chunk is asked for',
    async ({ blobs, chunkBytes }) => {
      const key = await blobs.write(inPieces(bytesOf(chunkBytes)))
      await readAll(blobs, key)
      const openBefore = descriptors()
      const waiting = []
      for (let count = 0; count < 100; count++) waiting.push(await blobs.read(key))
      await expectDescriptors(openBefore)
      expectSame(await collect(waiting[50]!), bytesOf(chunkBytes))
    },
  )

  suite.alone('lets everything go when a reader leaves', async ({ blobs, chunkBytes }) => {
    const key = await blobs.write(inPieces(bytesOf(3 * chunkBytes)))
    await readAll(blobs, key)
    const openBefore = descriptors()
    for (let count = 0; count < 50; count++) {
      const chunks = (await blobs.read(key))![Symbol.asyncIterator]()
      if (count % 2) expect((await chunks.next()).done).toBe(false)
      await chunks.return?.()
      expect((await chunks.next()).done).toBe(true)
    }
    await expectDescriptors(openBefore)
    expectSame(await readAll(blobs, key), bytesOf(3 * chunkBytes))
  })

  suite.alone('goes on writing while a reader stands still', async ({ blobs, chunkBytes }) => {
    const bytes = bytesOf(4 * chunkBytes)
    const chunks = (await blobs.read(await blobs.write(inPieces(bytes))))![Symbol.asyncIterator]()
    const parts = [(await chunks.next()).value!]
    const other = await blobs.write(inPieces(bytesOf(chunkBytes, 2)))
    expectSame(await readAll(blobs, other), bytesOf(chunkBytes, 2))
    await blobs.delete([other])
    for (let next = await chunks.next(); !next.done; next = await chunks.next())
      parts.push(next.value)
    expectSame(Buffer.concat(parts), bytes)
  })
}
