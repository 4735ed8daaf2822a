import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { rechunk } from './rechunk.ts'

it('cuts any bytes into chunks of one size, of which the last is smaller, and a chunk lasts until the next', async () => {
  const sizes = fc.integer({ min: 1, max: 300 })
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), sizes, sizes, async (length, piece, size) => {
      const bytes = bytesOf(length)
      const found: Buffer[] = []
      let before: Uint8Array = new Uint8Array()
      let copy = Buffer.from(before)
      for await (const chunk of rechunk(inPieces(bytes, piece), size)) {
        // While this one was filled, the one before it was still being written.
        expect(Buffer.compare(before, copy)).toBe(0)
        before = chunk
        copy = Buffer.from(chunk)
        found.push(copy)
      }
      expect(Buffer.compare(Buffer.concat(found), bytes)).toBe(0)
      expect(found.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true)
      expect(found.every((chunk) => chunk.length > 0 && chunk.length <= size)).toBe(true)
    }),
  )
})
