import { expect } from 'vitest'
import { bytesOf, inPieces } from '../bytes.ts'
import { type BlobSuite, keysOf, readAll } from './harness.ts'

/** Some systems store times in whole seconds. */
const second = 1_000

export function listing(suite: BlobSuite): void {
  suite.alone('lists every blob once, with the time it was written', async ({ blobs }) => {
    const started = Date.now()
    const keys = await Promise.all([0, 10, 100].map((size) => blobs.write(inPieces(bytesOf(size)))))
    const ended = Date.now()
    const listed = []
    for await (const entry of blobs.list()) listed.push(entry)
    expect(listed.map(({ key }) => key).sort()).toEqual(keys.sort())
    for (const { writtenAt } of listed) {
      expect(writtenAt).toBeGreaterThanOrEqual(started - second)
      expect(writtenAt).toBeLessThanOrEqual(ended + second)
    }
  })

  suite.alone(
    'lists an upload that is under way, but does not show its bytes',
    async ({ blobs, chunkBytes }) => {
      let seen: readonly string[] = []
      async function* watched(): AsyncGenerator<Uint8Array, void> {
        yield* inPieces(bytesOf(chunkBytes + 1))
        seen = await keysOf(blobs)
        expect(await readAll(blobs, seen[0]!)).toBeUndefined()
        yield bytesOf(1)
      }
      const key = await blobs.write(watched())
      expect(seen).toEqual([key])
      expect(await keysOf(blobs)).toEqual([key])
    },
  )

  suite.alone('lists what stays while others come and go', async ({ blobs }) => {
    const stays = await Promise.all(
      Array.from({ length: 40 }, () => blobs.write(inPieces(bytesOf(3)))),
    )
    const goes = await Promise.all(
      Array.from({ length: 20 }, () => blobs.write(inPieces(bytesOf(3)))),
    )
    const seen: string[] = []
    for await (const { key } of blobs.list()) {
      seen.push(key)
      const deletedKey = goes.pop()
      if (deletedKey) await blobs.delete([deletedKey])
      if (seen.length < 20) await blobs.write(inPieces(bytesOf(4)))
    }
    expect(stays.filter((key) => !seen.includes(key))).toEqual([])
    expect(new Set(seen).size).toBe(seen.length)
  })

  suite.alone('stops listing when nobody asks any more', async ({ blobs }) => {
    await Promise.all([1, 2, 3].map((size) => blobs.write(inPieces(bytesOf(size)))))
    for await (const { key } of blobs.list()) {
      expect(key).toBeTypeOf('string')
      break
    }
    expect((await keysOf(blobs)).length).toBe(3)
  })
}
