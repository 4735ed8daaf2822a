import fc from 'fast-check'
import { expect } from 'vitest'
import { isBlobKey } from '../../store/public.ts'
import { bytesOf, inPieces } from '../bytes.ts'
import { type BlobSuite, expectSame, keysOf, readAll } from './harness.ts'

export function writing(suite: BlobSuite): void {
  suite.alone(
    'gives back the bytes it took, of any size around its cuts',
    async ({ blobs, chunkBytes }) => {
      for (const size of [
        0,
        1,
        chunkBytes - 1,
        chunkBytes,
        chunkBytes + 1,
        2 * chunkBytes,
        2 * chunkBytes + 1,
      ]) {
        const key = await blobs.write(inPieces(bytesOf(size), 50_000))
        expectSame(await readAll(blobs, key), bytesOf(size))
      }
    },
  )

  suite.alone('gives back the bytes it took, however they came in pieces', async ({ blobs }) => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 300, size: 'max' }), {
      maxLength: 30,
      size: 'max',
    })
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const key = await blobs.write(each(parts))
        expectSame(await readAll(blobs, key), Buffer.concat(parts))
      }),
      { numRuns: 30 },
    )
  })

  suite.alone('names every upload by a key of its own, equal bytes too', async ({ blobs }) => {
    const keys = await Promise.all([1, 2, 3].map(() => blobs.write(inPieces(bytesOf(100)))))
    expect(new Set(keys).size).toBe(3)
    expect(keys.every(isBlobKey)).toBe(true)
    await blobs.delete([keys[0]!])
    expectSame(await readAll(blobs, keys[1]!), bytesOf(100))
  })

  suite.alone('keeps a blob of no bytes', async ({ blobs }) => {
    for (const source of [[], [new Uint8Array()], [new Uint8Array(), new Uint8Array()]]) {
      const key = await blobs.write(each(source))
      expectSame(await readAll(blobs, key), new Uint8Array())
      expect(await keysOf(blobs)).toContain(key)
    }
  })

  suite.alone('keeps uploads apart that come at the same time', async ({ blobs, chunkBytes }) => {
    const sizes = Array.from({ length: 16 }, (_, index) => (index * chunkBytes) / 5 + index)
    const keys = await Promise.all(
      sizes.map((size, index) => blobs.write(inPieces(bytesOf(size, index + 1), 7_000 + index))),
    )
    for (const [index, key] of keys.entries()) {
      expectSame(await readAll(blobs, key), bytesOf(sizes[index]!, index + 1))
    }
  })

  suite.alone('is done with a chunk when it asks for the next', async ({ blobs, chunkBytes }) => {
    const bytes = bytesOf(chunkBytes + 100_000)
    async function* reusing(): AsyncGenerator<Uint8Array, void> {
      const buffer = Buffer.alloc(10_000)
      for (let offset = 0; offset < bytes.length; offset += buffer.length) {
        const part = bytes.subarray(offset, offset + buffer.length)
        buffer.set(part)
        yield buffer.subarray(0, part.length)
        buffer.fill(0)
      }
    }
    expectSame(await readAll(blobs, await blobs.write(reusing())), bytes)
  })

  suite.alone('asks for one chunk at a time', async ({ blobs, chunkBytes }) => {
    let pulls = 0
    let most = 0
    let remaining = Math.ceil((2 * chunkBytes) / 10_000)
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          most = Math.max(most, ++pulls)
          await new Promise(setImmediate)
          pulls--
          return remaining-- > 0
            ? { done: false, value: bytesOf(10_000) }
            : { done: true, value: undefined }
        },
      }),
    }
    await blobs.write(source)
    expect(most).toBe(1)
  })
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* parts
}
