import { expect } from 'vitest'
import { BlobGone, type BlobStore } from '../../store/public.ts'
import { bytesOf, inPieces } from '../bytes.ts'
import { type BlobSuite, expectSame, keysOf, readAll } from './harness.ts'

export function deleting(suite: BlobSuite): void {
  suite.alone(
    'knows nothing of a blob that was deleted',
    async ({ blobs, listFiles, chunkBytes }) => {
      const before = await listFiles()
      const key = await blobs.write(inPieces(bytesOf(chunkBytes + 1)))
      await blobs.delete([key])
      expect(await blobs.read(key)).toBeUndefined()
      expect(await keysOf(blobs)).toEqual([])
      expect(await listFiles()).toEqual(before)
      await blobs.delete([key, key])
      await blobs.delete([])
    },
  )

  suite.alone('deletes the blobs it is told, however many, and no other', async ({ blobs }) => {
    const keys: string[] = []
    for (let count = 0; count < 1_200; count += 50) {
      keys.push(
        ...(await Promise.all(Array.from({ length: 50 }, () => blobs.write(inPieces(bytesOf(5)))))),
      )
    }
    const [stays, ...others] = keys
    await blobs.delete([...others, ...others.slice(0, 10)])
    expect(await keysOf(blobs)).toEqual([stays])
    expectSame(await readAll(blobs, stays!), bytesOf(5))
  })

  suite.alone(
    'R10: reads a blob that is deleted meanwhile to its end, or fails: never other bytes',
    async ({ blobs, chunkBytes }) => {
      const bytes = bytesOf(5 * chunkBytes)
      for (const chunksRead of [0, 1, 2]) {
        const key = await blobs.write(inPieces(bytes))
        const chunks = (await blobs.read(key))![Symbol.asyncIterator]()
        const parts: Uint8Array[] = []
        for (let count = 0; count < chunksRead; count++) parts.push((await chunks.next()).value!)
        await blobs.delete([key])
        await blobs.write(inPieces(bytesOf(5 * chunkBytes, 2)))
        await expectWholeOrGone(chunks, parts, bytes)
      }
    },
  )

  suite.alone(
    'R10: a reader beside those that write and delete gets the bytes of one blob',
    async ({ blobs, chunkBytes }) => {
      const size = 3 * chunkBytes
      let current = { key: await blobs.write(inPieces(bytesOf(size, 1))), seed: 1 }
      let busy = true
      const readers = Array.from({ length: 4 }, async () => {
        while (busy) {
          const { key, seed } = current
          const chunks = (await blobs.read(key))?.[Symbol.asyncIterator]()
          if (chunks) await expectWholeOrGone(chunks, [], bytesOf(size, seed))
        }
      })
      try {
        for (let seed = 2; seed < 10; seed++) {
          const old = current.key
          current = { key: await blobs.write(inPieces(bytesOf(size, seed))), seed }
          await blobs.delete([old])
        }
      } finally {
        busy = false
        await Promise.all(readers)
      }
    },
  )

  suite.alone(
    'fails an upload that is deleted while it is under way, and keeps nothing of it',
    async ({ blobs, chunkBytes, listFiles }) => {
      const before = await listFiles()
      for (const position of [chunkBytes + 1, 2 * chunkBytes - 1]) {
        const bytes = bytesOf(2 * chunkBytes)
        async function* deleted(): AsyncGenerator<Uint8Array, void> {
          yield* inPieces(bytes.subarray(0, position))
          await deleteAll(blobs)
          yield* inPieces(bytes.subarray(position))
        }
        await expect(blobs.write(deleted())).rejects.toThrow(BlobGone)
        expect(await keysOf(blobs)).toEqual([])
        expect(await listFiles()).toEqual(before)
      }
    },
  )
}

async function deleteAll(blobs: BlobStore): Promise<void> {
  const keys = await keysOf(blobs)
  expect(keys.length).toBe(1)
  await blobs.delete(keys)
}

async function expectWholeOrGone(
  chunks: AsyncIterator<Uint8Array>,
  parts: readonly Uint8Array[],
  expected: Uint8Array,
): Promise<void> {
  const remaining = [...parts]
  try {
    for (let next = await chunks.next(); !next.done; next = await chunks.next())
      remaining.push(next.value)
    expectSame(Buffer.concat(remaining), expected)
  } catch (error) {
    if (!(error instanceof BlobGone)) throw error
    const actual = Buffer.concat(remaining)
    expectSame(actual, expected.subarray(0, actual.length))
  }
}
