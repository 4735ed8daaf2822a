import { expect } from 'vitest'
import { bytesOf, inPieces } from '../bytes.ts'
import { type BlobSuite, expectSame, keysOf, readAll } from './harness.ts'

export const reopens = 'keeps its blobs when it is opened again, and beside another process'

export function reopening(suite: BlobSuite): void {
  suite.alone(reopens, async ({ blobs, openAgain, chunkBytes }) => {
    const bytes = bytesOf(chunkBytes + 1)
    const key = await blobs.write(inPieces(bytes))
    await blobs.open()
    expectSame(await readAll(blobs, key), bytes)
    const other = await openAgain!()
    try {
      expectSame(await readAll(other, key), bytes)
      const theirs = await other.write(inPieces(bytesOf(10, 2)))
      expectSame(await readAll(blobs, theirs), bytesOf(10, 2))
      await other.delete([key])
      expect(await blobs.read(key)).toBeUndefined()
      expect(await keysOf(blobs)).toEqual([theirs])
    } finally {
      await other.close()
    }
  })
}
