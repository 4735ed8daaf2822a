import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { rechunk } from './chunks.ts'

it('cuts any stream into chunks of one size, and keeps a chunk intact until the next one is filled', async () => {
  const sizes = fc.integer({ min: 1, max: 300 })
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), sizes, sizes, async (length, piece, size) => {
      const bytes = bytesOf(length)
      const copies: Buffer[] = []
      let previous: Uint8Array = new Uint8Array()
      let copy = Buffer.from(previous)
      for await (const chunk of rechunk(inPieces(bytes, piece), size)) {
        // A store may still be writing the previous chunk while this one is filled.
        expect(Buffer.compare(previous, copy)).toBe(0)
        previous = chunk
        copy = Buffer.from(chunk)
        copies.push(copy)
      }
      expect(Buffer.compare(Buffer.concat(copies), bytes)).toBe(0)
      expect(copies.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true)
      expect(copies.every((chunk) => chunk.length > 0 && chunk.length <= size)).toBe(true)
    }),
  )
})
